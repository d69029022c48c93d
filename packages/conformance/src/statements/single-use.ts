import { check, expectEqual, expectGrant, expectRefusal, expectSame } from '../expect.ts'
import { Skip } from '../outcome.ts'
import type { Server } from '../server.ts'
import { unknownToken } from './binding.ts'
import { otherTokens } from './issue.ts'
import type { Statement } from './statement.ts'

/** How long a server may take longer than it says, in milliseconds: clocks count whole seconds. */
const CLOCK_GRACE_MS = 2000
/** The longest that a test waits for a subject token to expire, in seconds. */
const MAX_WAIT_S = 60

export const SINGLE_USE_STATEMENTS: readonly Statement[] = [
  {
    number: 'P30',
    part: 'single-use',
    title: 'a subject token is redeemed once',
    clause:
      'A subject token MUST NOT be redeemed twice. The second exchange MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { subjectToken: subject_token } = await server.impersonate()
      const refused = await server.exchange({ subject_token })
      expectRefusal(refused, 400, 'invalid_request')
    },
  },
  {
    number: 'P31',
    part: 'single-use',
    title: 'of many exchanges at the same moment, exactly one is granted',
    clause:
      'Of any number of exchanges of one subject token at the same moment, exactly one MUST be granted, and all others MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { copies } = server.configuration
      for (let round = 0; round < 3; round += 1) {
        const { subjectToken: subject_token } = await server.issued()
        const answers = await Promise.all(
          Array.from({ length: copies }, () => server.exchange({ subject_token })),
        )
        const granted = answers.filter(({ status }) => status === 200)
        const message = `${granted.length} of ${copies} exchanges were granted`
        check(granted.length === 1, message, granted[1] ?? answers[0])
        for (const answer of answers) {
          if (answer.status !== 200) expectRefusal(answer, 400, 'invalid_request')
        }
      }
    },
  },
  {
    number: 'P32',
    part: 'single-use',
    title: 'a refused exchange leaves the subject token usable',
    clause:
      'Everything MUST be checked before the subject token is redeemed: an exchange that is refused for another reason MUST leave it usable.',
    async test(server) {
      const { subjectToken: subject_token } = await server.issued()
      for (const form of [
        { resource: 'https://unknown.invalid/' },
        { scope: 'no-such-scope' },
        { actor_token: 'never-issued-0123456789' },
        { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      ]) {
        const refused = await server.exchange({ subject_token, ...form })
        check(refused.status === 400, `the status is ${refused.status}, not 400`, refused)
      }
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P33',
    part: 'single-use',
    title: 'unknown and used subject tokens are refused in the same words',
    clause:
      'A subject token that is unknown, used, expired, revoked or ended MUST be refused with the same status, the same `error` and the same `error_description`.',
    async test(server) {
      const { subjectToken: subject_token } = await server.impersonate()
      const used = await server.exchange({ subject_token })
      expectSame(used, await unknownToken(server), 'a used subject token')
      const altered = server.alter((await server.issued()).subjectToken)
      const unknown = await server.exchange({ subject_token: altered })
      expectSame(unknown, used, 'an altered subject token')
    },
  },
  {
    number: 'P34',
    part: 'single-use',
    title: 'an expired subject token is refused',
    clause: 'A subject token MUST NOT be redeemed after its lifetime.',
    async test(server) {
      const { members, answer: names } = server.configuration.issue
      const asked = members.lifetime === null ? undefined : 1
      const { subjectToken: subject_token, answer } = await server.issued({ lifetime: asked })
      const seconds = asked ?? Number(answer.json[names.lifetime ?? ''] ?? Infinity)
      if (seconds > MAX_WAIT_S) throw new Skip(`subject tokens live ${seconds} seconds`)
      await server.wait(seconds * 1000 + CLOCK_GRACE_MS)
      const refused = await server.exchange({ subject_token })
      expectRefusal(refused, 400, 'invalid_request')
      expectSame(refused, await unknownToken(server), 'an expired subject token')
    },
  },
  {
    number: 'P35',
    part: 'single-use',
    title: 'no other token is a subject token',
    clause:
      "Any other token (an operator's access token, a machine token, an impersonated access token) MUST NOT be accepted as a subject token.",
    async test(server) {
      const tokens = [
        ...(await otherTokens(server)),
        ['a machine token', await server.machineToken()] as const,
      ]
      for (const [name, subject_token] of tokens) {
        const refused = await server.exchange({ subject_token })
        expectRefusal(refused, 400, 'invalid_request')
        expectSame(refused, await unknownToken(server), name)
      }
    },
  },
  {
    number: 'P36',
    part: 'single-use',
    title: 'a subject token is no access token',
    clause:
      'A subject token MUST NOT be accepted as an access token: not at the issue endpoint, not at userinfo, and introspection MUST NOT call it active.',
    async test(server) {
      const { subjectToken: token } = await server.issued()
      expectRefusal(await server.issue({}, { token }), 401, 'invalid_token')
      await expectNoUserinfo(server, token)
      if (server.configuration.introspection) {
        const answer = await server.introspect(token)
        expectEqual(answer.json.active, false, 'active at introspection', answer)
      }
      expectGrant(await server.exchange({ subject_token: token }))
    },
  },
]

async function expectNoUserinfo(server: Server, token: string): Promise<void> {
  const url = server.configuration.endpoints?.userinfo ?? server.discovery.userinfo_endpoint
  if (typeof url !== 'string') return
  const headers = { authorization: `Bearer ${token}` }
  expectRefusal(await server.send(url, { what: 'userinfo with a subject token', headers }), 401)
}
