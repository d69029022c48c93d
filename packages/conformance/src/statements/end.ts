import { check, expectEqual, expectGrant, expectRefusal, expectSame, shown } from '../expect.ts'
import { rebound } from '../issue-members.ts'
import type { Answer } from '../outcome.ts'
import type { Server } from '../server.ts'
import { unknownToken } from './binding.ts'
import type { Statement } from './statement.ts'

/** The routes at which a machine client sees and ends impersonations. */
function management(server: Server) {
  const found = server.need(server.configuration.management, 'management')
  const { url, readScope, endScope } = found
  const withId = (template: string, id: string) =>
    template.replaceAll('{id}', encodeURIComponent(id))
  const send = async (to: string, what: string, scope: string, body?: object) => {
    const authorization = `Bearer ${await server.machineToken(scope)}`
    if (body === undefined) return server.send(to, { what, headers: { authorization } })
    const headers = { authorization, 'content-type': 'application/json' }
    return server.send(to, { what, method: 'POST', headers, body: JSON.stringify(body) })
  }
  return {
    show: (id: string, scope = readScope) =>
      send(withId(found.show ?? `${url}/{id}`, id), 'an impersonation is looked at', scope),
    end: (id: string, body: object = {}, scope = endScope) =>
      send(withId(found.end ?? `${url}/{id}/end`, id), 'an impersonation is ended', scope, body),
    endMany: (body: object) =>
      send(found.endMany ?? `${url}/end`, 'impersonations are ended', endScope, body),
  }
}

export function endByItself(server: Server, token: string): Promise<Answer> {
  const url = server.endpoint('endCurrent', 'impersonation_end_endpoint')
  const headers = { authorization: `Bearer ${token}` }
  return server.send(url, { what: 'the token ends its impersonation', method: 'POST', headers })
}

export function showCurrent(server: Server, token: string): Promise<Answer> {
  const url = server.endpoint('current', 'impersonation_current_endpoint')
  const headers = { authorization: `Bearer ${token}` }
  return server.send(url, { what: 'the token asks how its impersonation stands', headers })
}

export const END_STATEMENTS: readonly Statement[] = [
  {
    number: 'P45',
    part: 'end',
    title: 'the impersonated token ends its impersonation, once',
    clause:
      'The end endpoint, in discovery as `impersonation_end_endpoint`, MUST answer a `POST` with a live impersonated access token as its credential with 204, and from then on with 401 `invalid_token`.',
    async test(server) {
      const { accessToken } = await server.impersonate()
      const first = await endByItself(server, accessToken)
      expectEqual(first.status, 204, 'the status of the first end', first)
      expectRefusal(await endByItself(server, accessToken), 401, 'invalid_token')
    },
  },
  {
    number: 'P46',
    part: 'end',
    title: 'an ended subject token redeems nothing',
    clause:
      'After an impersonation has ended, its subject token MUST NOT be redeemed, and MUST be refused as an unknown one.',
    async test(server) {
      const { id, subjectToken: subject_token } = await server.issued()
      const ended = await management(server).end(id)
      expectEqual(ended.status, 200, 'the status of the end', ended)
      const refused = await server.exchange({ subject_token })
      expectSame(refused, await unknownToken(server), 'an ended subject token')
    },
  },
  {
    number: 'P47',
    part: 'end',
    title: 'a machine client ends an impersonation by its id, and the first end stays',
    clause:
      'An end by id MUST get 200 and the impersonation with `state` `ended` and `end` (`at`, `cause`). Another end MUST get 200, too, and MUST NOT change the first. An unknown id MUST get 404 `not_found`.',
    async test(server) {
      const { end } = management(server)
      const { id } = await server.impersonate()
      const first = await end(id, { reason: 'conformance' })
      expectEqual(first.status, 200, 'the status of the end', first)
      expectEqual(first.json.state, 'ended', 'state', first)
      const { at, cause } = Object(first.json.end)
      check(typeof at === 'number' && typeof cause === 'string', 'end.at, end.cause', first)
      const second = await end(id, { reason: 'another' })
      expectEqual(second.status, 200, 'the status of the second end', second)
      expectEqual(second.json.end, first.json.end, 'end after another end', second)
      const unknown = `${id.slice(0, -4)}${id.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
      expectRefusal(await end(unknown), 404, 'not_found')
    },
  },
  {
    number: 'P48',
    part: 'end',
    title: 'an end of many needs a filter, and ends what matches',
    clause:
      'An end of many MUST get 200 and `ended`, how many it ended. Without a filter it MUST be refused with 400 `invalid_request`: no filter never means all.',
    async test(server) {
      const { endMany, show } = management(server)
      expectRefusal(await endMany({}), 400, 'invalid_request')
      expectRefusal(await endMany({ reason: 'conformance' }), 400, 'invalid_request')
      const { id } = await server.impersonate()
      const { user, issue } = server.configuration
      const answer = await endMany({ [issue.members.user ?? 'userId']: user })
      expectEqual(answer.status, 200, 'the status', answer)
      check(Number(answer.json.ended) >= 1, `ended is ${shown(answer.json.ended)}`, answer)
      const seen = await show(id)
      expectEqual(seen.json.state, 'ended', 'state of one that matches', seen)
    },
  },
  {
    number: 'P49',
    part: 'end',
    title: 'an end and an exchange at the same moment leave nothing that lives',
    clause:
      'Where an end by id and the exchange come at the same moment, the server MUST NOT issue anything, or what it issues MUST have ended.',
    async test(server) {
      const { end, show } = management(server)
      const { scope } = server.configuration.exchange
      for (let round = 0; round < 8; round += 1) {
        const { id, subjectToken: subject_token } = await server.issued()
        const [exchanged, ended] = await Promise.all([
          server.exchange({ subject_token, scope }),
          end(id),
        ])
        expectEqual(ended.status, 200, 'the status of the end', ended)
        const seen = await show(id)
        expectEqual(seen.json.state, 'ended', 'state after both', seen)
        if (exchanged.status !== 200) continue
        const current = await showCurrent(server, expectGrant(exchanged))
        expectEqual(current.json.state, 'ended', 'state of what was issued', current)
      }
    },
  },
  {
    number: 'P50',
    part: 'end',
    title: 'to see and to end are rights of their own, and no answer has a token',
    clause:
      'Seeing and ending MUST need scopes of their own: a machine token without them MUST get 403 `insufficient_scope`. An impersonation that is shown MUST have `id`, `state` and `userId`, and MUST NOT have a token.',
    async test(server) {
      const { end, show } = management(server)
      const { scope } = server.configuration.issue.token
      const { id, subjectToken, accessToken } = await server.impersonate()
      expectRefusal(await show(id, scope), 403, 'insufficient_scope')
      expectRefusal(await end(id, {}, scope), 403, 'insufficient_scope')
      const seen = await show(id)
      expectEqual(seen.status, 200, 'the status', seen)
      const { user, issue } = server.configuration
      const { json, text } = seen
      const owner = json[issue.members.user ?? 'userId']
      expectEqual([json.id, json.state, owner], [id, 'active', user], 'id, state, user', seen)
      const hasToken = text.includes(subjectToken) || text.includes(accessToken)
      check(!hasToken, 'the answer has a token', seen)
    },
  },
  {
    number: 'P51',
    part: 'end',
    title: 'an opaque access token is inactive at once',
    clause:
      'After the end, introspection of an opaque access token MUST say that it is not active.',
    async test(server) {
      const { opaqueResource } = server.configuration.exchange
      const resource = server.need(opaqueResource, 'exchange.opaqueResource')
      const { accessToken } = await server.impersonate({
        members: rebound(server.configuration.issue, { resource }),
        form: { resource },
      })
      const before = await server.introspect(accessToken)
      expectEqual(before.json.active, true, 'active before the end', before)
      await endByItself(server, accessToken)
      const after = await server.introspect(accessToken)
      expectEqual(after.json.active, false, 'active after the end', after)
    },
  },
  {
    number: 'P52',
    part: 'current',
    title: 'the token learns that it is active, and until when',
    clause:
      'The current endpoint, in discovery as `impersonation_current_endpoint`, MUST answer a `GET` with an impersonated access token as its credential with 200, `state` `active`, and `expiresAt`, which is when the token expires.',
    async test(server) {
      const { accessToken, exchanged } = await server.impersonate()
      const { exp } = await server.read(accessToken, exchanged)
      const answer = await showCurrent(server, accessToken)
      expectEqual(answer.status, 200, 'the status', answer)
      expectEqual(answer.json.state, 'active', 'state', answer)
      expectEqual(answer.json.expiresAt, exp, 'expiresAt', answer)
    },
  },
  {
    number: 'P53',
    part: 'current',
    title: 'after the end it learns the cause, and no name',
    clause:
      'After the end, until the token expires, the current endpoint MUST answer `state` `ended` and `end` with `cause` and `by` (`operator`, `customer` or `other`), and MUST NOT say more about the end.',
    async test(server) {
      const { accessToken } = await server.impersonate()
      await endByItself(server, accessToken)
      const answer = await showCurrent(server, accessToken)
      expectEqual(answer.status, 200, 'the status', answer)
      expectEqual(answer.json.state, 'ended', 'state', answer)
      const end = Object(answer.json.end)
      check(typeof end.cause === 'string', `end.cause is ${shown(end.cause)}`, answer)
      const isKnown = ['operator', 'customer', 'other'].includes(end.by)
      check(isKnown, `end.by is ${shown(end.by)}`, answer)
      const members = Object.keys(end).sort()
      expectEqual(members, ['by', 'cause'], 'what is said about the end', answer)
    },
  },
  {
    number: 'P54',
    part: 'current',
    title: 'no other token is a credential there',
    clause:
      "The end endpoint and the current endpoint MUST answer every other token (none, an unknown or altered one, an operator's, a machine's, a subject token) with 401, and `invalid_token` where there is one.",
    async test(server) {
      const { operator } = server.configuration
      const { accessToken, subjectToken } = await server.impersonate()
      const tokens = [
        'never-issued-0123456789',
        server.alter(accessToken),
        subjectToken,
        await server.machineToken(),
        ...(operator ? [operator.token] : []),
      ]
      for (const token of tokens) {
        expectRefusal(await showCurrent(server, token), 401, 'invalid_token')
        expectRefusal(await endByItself(server, token), 401, 'invalid_token')
      }
      const url = server.endpoint('current', 'impersonation_current_endpoint')
      expectRefusal(await server.send(url, { what: 'no token' }), 401)
    },
  },
]
