import { check, expectEqual, expectGrant, expectRefusal, expectSame, shown } from '../expect.ts'
import type { Answer } from '../outcome.ts'
import type { IssueMembers, Server } from '../server.ts'
import type { Statement } from './statement.ts'

/** How the server answers a subject token that it has never issued. */
export async function unknownToken(server: Server): Promise<Answer> {
  const subject_token = 'never-issued-0123456789-0123456789-0123456789'
  const answer = await server.exchange({ subject_token })
  expectRefusal(answer, 400, 'invalid_request')
  return answer
}

export const BINDING_STATEMENTS: readonly Statement[] = [
  {
    number: 'P13',
    part: 'binding',
    title: 'the lifetime that is asked for is kept, or refused',
    clause:
      'A subject token MUST NOT live longer than the issue request asks for. A lifetime that is longer than the server allows, or no positive integer, MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { lifetime: name } = server.configuration.issue.answer
      const { answer } = await server.issued({ lifetime: 30 })
      const lifetime = answer.json[server.need(name, 'issue.answer.lifetime')]
      check(Number(lifetime) <= 30, `the lifetime is ${shown(lifetime)}, and 30 was asked`, answer)
      for (const wrong of [0, -1, 1.5, '60', 1_000_000_000]) {
        expectRefusal(await server.issue({ lifetime: wrong }), 400, 'invalid_request')
      }
    },
  },
  {
    number: 'P14',
    part: 'binding',
    title: 'bound to an operator: no other operator redeems it',
    clause:
      'A subject token that is bound to an operator MUST be redeemed with an actor token of that operator alone. Any other exchange MUST be refused as that of an unknown subject token, and MUST leave it usable.',
    async test(server) {
      const { configuration } = server
      const operator = server.need(configuration.operator, 'operator')
      const { subjectToken: subject_token } = await server.issued({ operator: operator.sub })
      const none = { subject_token, actor_token: null, actor_token_type: null }
      const without = await server.exchange(none)
      expectSame(without, await unknownToken(server), 'an exchange without the operator')
      if (configuration.otherOperator) {
        const actor_token = configuration.otherOperator.token
        const other = await server.exchange({ subject_token, actor_token })
        expectSame(other, await unknownToken(server), 'an exchange of another operator')
      }
      expectGrant(await server.exchange({ subject_token, actor_token: operator.token }))
    },
  },
  {
    number: 'P15',
    part: 'binding',
    title: 'bound to a client: no other client redeems it',
    clause:
      'A subject token that is bound to a client MUST be redeemed by that client alone. Any other exchange MUST be refused as that of an unknown subject token, and MUST leave it usable.',
    async test(server) {
      const { otherClient } = server.configuration.exchange
      const other = server.need(otherClient, 'exchange.otherClient')
      const { subjectToken: subject_token } = await server.issued({ client: other.id })
      const refused = await server.exchange({ subject_token })
      expectSame(refused, await unknownToken(server), 'an exchange of another client')
      expectGrant(await server.exchange({ subject_token }, other))
    },
  },
  {
    number: 'P16',
    part: 'binding',
    title: 'bound to a resource: worth nothing for another',
    clause:
      'A subject token that is bound to resources MUST NOT be exchanged for another resource: 400 `invalid_request` or `invalid_target`. The refusal MUST leave it usable.',
    async test(server) {
      const { resource, otherResource } = server.configuration.exchange
      const other = server.need(otherResource, 'exchange.otherResource')
      const { subjectToken: subject_token } = await server.issued({ resource })
      const refused = await server.exchange({ subject_token, resource: other })
      expectRefusal(refused, 400, 'invalid_request', 'invalid_target')
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P17',
    part: 'binding',
    title: 'bound to a scope: no more than that is granted',
    clause:
      'The access token of a subject token that is bound to a scope MUST NOT have another scope, whatever the exchange asks for.',
    async test(server) {
      const { scope, otherScope } = server.configuration.exchange
      const other = server.need(otherScope, 'exchange.otherScope')
      const { exchanged, accessToken } = await server.impersonate({
        members: { scope },
        form: { scope: `${scope} ${other}` },
      })
      const claims = await server.read(accessToken, exchanged)
      expectEqual(claims.scope, scope, 'scope in the access token', exchanged)
      expectEqual(exchanged.json.scope, scope, 'scope of the answer', exchanged)
    },
  },
  {
    number: 'P18',
    part: 'binding',
    title: 'a binding that is not understood is refused, not ignored',
    clause:
      'A binding that the server does not understand (an empty operator or client, a resource that is relative or has a fragment, a malformed scope) and a context that is no JSON object MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { exchange, issue } = server.configuration
      const { resource } = exchange
      const wrong: readonly IssueMembers[] = [
        { operator: '' },
        { operator: 7 },
        { client: '' },
        { resource: `${resource}#fragment` },
        { resource: '/relative' },
        { scope: 'two  blanks' },
        { scope: 7 },
        { context: ['a list'] },
      ]
      for (const [name, mapped] of Object.entries(issue.members)) {
        if (mapped === null) continue
        for (const members of wrong.filter((one) => Object.hasOwn(one, name))) {
          expectRefusal(await server.issue(members), 400, 'invalid_request')
        }
      }
    },
  },
]
