import { check, expectEqual, expectGrant, expectRefusal } from '../expect.ts'
import { rebound } from '../issue-members.ts'
import type { Answer } from '../outcome.ts'
import { ACCESS_TOKEN_TYPE, type Server } from '../server.ts'
import type { Statement } from './statement.ts'

const WITHOUT_ACTOR = { actor_token: null, actor_token_type: null } as const

async function readAct(server: Server, answer: Answer): Promise<unknown> {
  return (await server.read(expectGrant(answer), answer)).act
}

export const ACTOR_STATEMENTS: readonly Statement[] = [
  {
    number: 'P37',
    part: 'actor',
    title: 'act names the operator of the actor token, and without one no person',
    clause:
      'With an actor token, the access token MUST have `act` with `sub`, the operator, and without `client_id`. Without an actor token it MUST NOT have `act`, except as P43 says.',
    async test(server) {
      const operator = server.need(server.configuration.operator, 'operator')
      const actor_token = operator.token
      const { exchanged } = await server.impersonate({ form: { actor_token } })
      const act = await readAct(server, exchanged)
      expectEqual(act, { sub: operator.sub }, 'act', exchanged)
      if (operator.always === true) return
      const { exchanged: without } = await server.impersonate()
      expectEqual(await readAct(server, without), undefined, 'act without an actor token', without)
    },
  },
  {
    number: 'P38',
    part: 'actor',
    title: 'no client says who acts',
    clause:
      'What a client sends, at issue or at the exchange, MUST NOT add, change or remove `act`, `sub`, `aud`, `exp` or the mark of P22.',
    async test(server) {
      const { user, operator, exchange, issue } = server.configuration
      const forged = { act: { sub: 'mallory' }, sub: 'mallory', aud: 'https://mallory.invalid/' }
      const members = issue.members.context === null ? {} : { context: forged }
      const form = { act: JSON.stringify(forged.act), actor: 'mallory', sub: 'mallory' }
      const actor = operator ? { actor_token: operator.token } : {}
      const { accessToken, exchanged } = await server.impersonate({
        members,
        form: { ...form, ...actor },
      })
      const claims = await server.read(accessToken, exchanged)
      expectEqual(claims.act, operator ? { sub: operator.sub } : undefined, 'act', exchanged)
      expectEqual(claims.sub, user, 'sub', exchanged)
      expectEqual([claims.aud].flat(), [exchange.resource], 'aud', exchanged)
      if (operator?.always === true) return
      const { exchanged: plain } = await server.impersonate({ members, form })
      expectEqual(await readAct(server, plain), undefined, 'act without an actor token', plain)
    },
  },
  {
    number: 'P39',
    part: 'actor',
    title: 'an invalid actor token: invalid_request, and nothing is redeemed',
    clause:
      'An actor token without its type, a type without its token, and an actor token that is unknown, altered, a machine token or a subject token MUST be refused with 400 `invalid_request`, and MUST leave the subject token usable. It MUST NOT be ignored.',
    async test(server) {
      const operator = server.need(server.configuration.operator, 'operator')
      const { subjectToken: subject_token } = await server.issued()
      const { subjectToken: another } = await server.issued()
      for (const form of [
        { actor_token: operator.token, actor_token_type: null },
        { actor_token: null, actor_token_type: ACCESS_TOKEN_TYPE },
        { actor_token: operator.token, actor_token_type: `${ACCESS_TOKEN_TYPE}s` },
        { actor_token: 'never-issued-0123456789' },
        { actor_token: server.alter(operator.token) },
        { actor_token: await server.machineToken() },
        { actor_token: another },
      ]) {
        const refused = await server.exchange({ subject_token, ...form })
        expectRefusal(refused, 400, 'invalid_request')
      }
      expectGrant(await server.exchange({ subject_token, actor_token: operator.token }))
    },
  },
  {
    number: 'P40',
    part: 'actor',
    title: 'an impersonated token is no actor token, unless act names every person',
    clause:
      'An impersonated access token as the actor token MUST be refused with 400 `invalid_request`. A server that supports chains MUST nest `act` instead, so that every person in the chain is named.',
    async test(server) {
      const operator = server.need(server.configuration.operator, 'operator')
      const form = { actor_token: operator.token }
      const { accessToken } = await server.impersonate({ form })
      const { subjectToken: subject_token } = await server.issued()
      const answer = await server.exchange({ subject_token, actor_token: accessToken })
      if (answer.status !== 200) return expectRefusal(answer, 400, 'invalid_request')
      const act = await readAct(server, answer)
      const persons = { sub: server.configuration.user, act: { sub: operator.sub } }
      expectEqual(act, persons, 'act of the chain', answer)
    },
  },
  {
    number: 'P41',
    part: 'actor',
    title: 'a token that was made up names no operator',
    clause:
      'An actor token MUST be verified as the server verifies its own access tokens. A JWT with another signature, or none, MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { sub } = server.need(server.configuration.operator, 'operator')
      const { subjectToken: subject_token } = await server.issued()
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const now = Math.floor(Date.now() / 1000)
      const claims = { iss: server.issuer, sub, scope: 'openid', iat: now, exp: now + 300 }
      for (const [alg, signature] of [
        ['none', ''],
        ['HS256', 'c2lnbmF0dXJl'],
      ] as const) {
        const header = encode({ alg, typ: 'at+jwt' })
        const actor_token = `${header}.${encode(claims)}.${signature}`
        const refused = await server.exchange({ subject_token, actor_token })
        expectRefusal(refused, 400, 'invalid_request')
      }
    },
  },
  {
    number: 'P42',
    part: 'software',
    title: 'software that acts for an operator is named, and so is the operator',
    clause:
      'Where the client that exchanges is software that acts for an operator, `act` MUST have `sub` and `client_id`, both the client, and `act` inside, which names the operator of the actor token and has no `client_id`.',
    async test(server) {
      const operator = server.need(server.configuration.operator, 'operator')
      const { id } = server.need(server.configuration.exchange.software, 'exchange.software')
      const answer = await exchangeBySoftware(server, { actor_token: operator.token })
      const wanted = { sub: id, client_id: id, act: { sub: operator.sub } }
      const act = await readAct(server, answer)
      expectEqual(sorted(act), sorted(wanted), 'act', answer)
    },
  },
  {
    number: 'P43',
    part: 'software',
    title: 'software that acts on its own is named, and no person',
    clause:
      'Where software acts on its own, `act` MUST have `sub` and `client_id`, both the client, and no `act` inside; or the exchange MUST be refused, where an operator is required.',
    async test(server) {
      const { id } = server.need(server.configuration.exchange.software, 'exchange.software')
      const answer = await exchangeBySoftware(server, WITHOUT_ACTOR)
      if (answer.status === 400) return
      const act = await readAct(server, answer)
      expectEqual(sorted(act), sorted({ sub: id, client_id: id }), 'act', answer)
    },
  },
  {
    number: 'P44',
    part: 'software',
    title: 'software is named only where the client proves itself',
    clause:
      'Software MUST be named only where the client authenticates. A client id alone MUST NOT become an actor.',
    async test(server) {
      const client = server.need(server.configuration.exchange.software, 'exchange.software')
      const { subjectToken: subject_token } = await issuedForSoftware(server, client.id)
      const form = { subject_token, ...resourceOfSoftware(server) }
      const refused = await server.exchange(form, { id: client.id })
      check(refused.status >= 400, `the status is ${refused.status}`, refused)
    },
  },
]

function resourceOfSoftware(server: Server) {
  const { softwareResource, resource } = server.configuration.exchange
  return { resource: softwareResource ?? resource }
}

async function exchangeBySoftware(
  server: Server,
  form: Readonly<Record<string, string | null>>,
): Promise<Answer> {
  const client = server.need(server.configuration.exchange.software, 'exchange.software')
  const { subjectToken: subject_token } = await issuedForSoftware(server, client.id)
  return server.exchange({ subject_token, ...resourceOfSoftware(server), ...form }, client)
}

function issuedForSoftware(server: Server, client: string) {
  const { issue } = server.configuration
  return server.issued(rebound(issue, { client, ...resourceOfSoftware(server) }))
}

/** The order of members means nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]))
}
