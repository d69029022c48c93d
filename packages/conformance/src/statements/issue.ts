import { check, expectEqual, expectJson, expectNoStore, expectRefusal, shown } from '../expect.ts'
import { Skip } from '../outcome.ts'
import type { Server } from '../server.ts'
import type { Statement } from './statement.ts'

/** 128 bits in base64url, rounded up. */
const MIN_TOKEN_LENGTH = 22

/** Tokens of other kinds, with a name for each. */
export async function otherTokens(server: Server): Promise<readonly [string, string][]> {
  const { operator } = server.configuration
  const { accessToken } = await server.impersonate()
  return [
    ['a token that was never issued', 'never-issued-0123456789-0123456789-0123456789'],
    ...(operator ? [["an operator's access token", operator.token] as const] : []),
    ['an impersonated access token', accessToken],
  ].map(([name = '', token = '']) => [name, token])
}

export const ISSUE_STATEMENTS: readonly Statement[] = [
  {
    number: 'P1',
    part: 'issue',
    title: 'a machine client gets a subject token, and how long it lives',
    clause:
      'The issue endpoint MUST answer a `POST` of a JSON object, with an access token of a machine client, with 201 and a JSON object that has the subject token, a string, and its lifetime in whole seconds.',
    async test(server) {
      const { lifetime } = server.configuration.issue.answer
      const { answer } = await server.issued()
      expectEqual(answer.status, 201, 'the status', answer)
      expectJson(answer)
      if (lifetime === null) return
      const seconds = answer.json[lifetime]
      const isWhole = typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0
      check(isWhole, `${lifetime} is ${shown(seconds)}, and must be whole seconds`, answer)
    },
  },
  {
    number: 'P2',
    part: 'issue',
    title: 'no cache keeps an answer with a token',
    clause:
      'Every answer with a subject token or an access token MUST have `Cache-Control: no-store`.',
    async test(server) {
      const { answer, exchanged } = await server.impersonate()
      expectNoStore(answer)
      expectNoStore(exchanged)
    },
  },
  {
    number: 'P3',
    part: 'issue',
    title: 'a subject token is opaque, long, and its own',
    clause:
      'A subject token MUST be opaque, MUST have at least 128 bits of randomness, and MUST NOT be issued twice.',
    async test(server) {
      const seen = new Set<string>()
      for (let count = 0; count < 8; count += 1) {
        const { subjectToken, answer } = await server.issued()
        check(!seen.has(subjectToken), 'a subject token was issued twice', answer)
        check(subjectToken.length >= MIN_TOKEN_LENGTH, 'a subject token is too short', answer)
        check(!/^eyJ/.test(subjectToken), 'a subject token is a JWT', answer)
        seen.add(subjectToken)
      }
    },
  },
  {
    number: 'P4',
    part: 'issue',
    title: 'without an access token: 401, and a challenge without an error',
    clause:
      'An issue request without an access token MUST get 401 with `WWW-Authenticate`, and the challenge MUST NOT have an error code (RFC 6750 section 3.1).',
    async test(server) {
      const answer = await server.issue({}, { token: null })
      expectRefusal(answer, 401)
      const challenge = answer.headers.get('www-authenticate') ?? undefined
      const isPlain = challenge !== undefined && !/\berror=/.test(challenge)
      check(isPlain, `WWW-Authenticate is ${shown(challenge)}`, answer)
    },
  },
  {
    number: 'P5',
    part: 'issue',
    title: "an unknown, altered or a person's access token: 401 invalid_token",
    clause:
      'An issue request with an access token that is unknown, altered, or of a person MUST get 401 `invalid_token`.',
    async test(server) {
      const altered = server.alter(await server.machineToken())
      const tokens = [...(await otherTokens(server)), ['an altered token', altered] as const]
      for (const [, token] of tokens) {
        expectRefusal(await server.issue({}, { token }), 401, 'invalid_token')
      }
    },
  },
  {
    number: 'P6',
    part: 'issue',
    title: 'a machine token without the scope: 403 insufficient_scope',
    clause:
      'An issue request whose machine token lacks the scope of the issue endpoint MUST get 403 `insufficient_scope`.',
    async test(server) {
      const { access_token: token } = (await server.askForMachineToken(null)).json
      if (typeof token !== 'string') throw new Skip('no machine token is issued without a scope')
      expectRefusal(await server.issue({}, { token }), 403, 'insufficient_scope')
    },
  },
  {
    number: 'P7',
    part: 'issue',
    title: 'an unknown member is refused by its name',
    clause:
      'A member of an issue request that the server does not know MUST be refused with 400 `invalid_request`, and `error_description` MUST name it.',
    async test(server) {
      const answer = await server.issue({}, { extra: { contxt: {} } })
      expectRefusal(answer, 400, 'invalid_request')
      const description = String(answer.json.error_description)
      check(description.includes('contxt'), 'error_description does not name contxt', answer)
    },
  },
  {
    number: 'P8',
    part: 'issue',
    title: 'a body that is not understood: 400, another media type: 415',
    clause:
      'An issue request MUST be refused with 400 `invalid_request` where the body is no JSON object, or the user is missing or no text; and with 415 where its media type is not `application/json`.',
    async test(server) {
      for (const body of ['[]', 'null', '"user"', '{', '{}']) {
        expectRefusal(await server.issue({}, { body }), 400, 'invalid_request')
      }
      for (const user of [7, '', null, ['alice']]) {
        expectRefusal(await server.issue({ user }), 400, 'invalid_request')
      }
      for (const contentType of ['text/plain', 'application/x-www-form-urlencoded']) {
        expectRefusal(await server.issue({}, { contentType }), 415)
      }
    },
  },
  {
    number: 'P9',
    part: 'issue',
    title: 'a user that does not exist: 404 user_not_found',
    clause: 'A user that does not exist MUST be refused with 404 `user_not_found`.',
    async test(server) {
      const user = server.configuration.unknownUser
      expectRefusal(await server.issue({ user }), 404, 'user_not_found')
    },
  },
  {
    number: 'P10',
    part: 'issue',
    title: 'what the rules refuse: 403 access_denied',
    clause:
      'An issue request that the rules of the deployment refuse MUST get 403 `access_denied`. The server MUST NOT issue anything.',
    async test(server) {
      const user = server.need(server.configuration.refusedUser, 'refusedUser')
      await expectNothingIssued(server, user, 'access_denied')
    },
  },
  {
    number: 'P11',
    part: 'issue',
    title: 'refusals are JSON, and no cache keeps them',
    clause:
      'A refusal at the issue endpoint and at the token endpoint MUST be a JSON object with `error`, and MUST have `Cache-Control: no-store`.',
    async test(server) {
      const answers = [
        await server.issue({}, { token: null }),
        await server.issue({}, { token: 'never-issued' }),
        await server.issue({}, { body: '{}' }),
        await server.exchange({ subject_token: 'never-issued' }),
        await server.exchange({ subject_token: null }),
      ]
      for (const [index, answer] of answers.entries()) {
        expectJson(answer)
        expectNoStore(answer)
        check(typeof answer.json.error === 'string', `refusal ${index + 1} has no error`, answer)
      }
    },
  },
  {
    number: 'P12',
    part: 'approval',
    title: 'a missing approval: 403 approval_required, and whose',
    clause:
      'An issue request that needs an approval MUST get 403 `approval_required`, with `approval.by`, a list of `second_person`, `user` or both. The server MUST NOT issue anything.',
    async test(server) {
      const { user } = server.need(server.configuration.approval, 'approval')
      const { answer, json } = await expectNothingIssued(server, user, 'approval_required')
      const by: unknown = Object(json.approval).by
      const isRight =
        Array.isArray(by) &&
        by.length > 0 &&
        by.every((one) => one === 'second_person' || one === 'user')
      check(isRight, `approval.by is ${shown(by)}`, answer)
    },
  },
]

async function expectNothingIssued(server: Server, user: string, code: string) {
  const answer = await server.issue({ user })
  expectRefusal(answer, 403, code)
  const { subjectToken } = server.configuration.issue.answer
  check(answer.json[subjectToken ?? ''] === undefined, 'a refusal has a subject token', answer)
  return { answer, json: answer.json }
}
