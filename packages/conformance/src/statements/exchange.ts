import { check, expectEqual, expectGrant, expectJson, expectRefusal, shown } from '../expect.ts'
import { formBody } from '../http.ts'
import { rebound } from '../issue-members.ts'
import { headerOf } from '../jwt-header.ts'
import { dpopProof } from '../proof.ts'
import { ACCESS_TOKEN_TYPE } from '../server.ts'
import type { Statement } from './statement.ts'

/** An impersonation is short. */
const MAX_LIFETIME_S = 3600

const OTHER_TOKEN_TYPES = ['jwt', 'id_token', 'refresh_token', 'saml2'].map(
  (name) => `urn:ietf:params:oauth:token-type:${name}`,
)

export const EXCHANGE_STATEMENTS: readonly Statement[] = [
  {
    number: 'P19',
    part: 'exchange',
    title: 'an exchange answers an access token as RFC 8693 says, and no other token',
    clause:
      'A successful exchange MUST get 200 and a JSON object with `access_token`, `issued_token_type` (that of an access token), `token_type` and `expires_in`. It MUST NOT have a refresh token or an ID token, whatever scope is asked for.',
    async test(server) {
      const { scope } = server.configuration.exchange
      for (const asked of [scope, `${scope} openid offline_access`]) {
        const { exchanged } = await server.impersonate({ form: { scope: asked } })
        const { json } = exchanged
        expectEqual(exchanged.status, 200, 'the status', exchanged)
        expectJson(exchanged)
        expectEqual(json.issued_token_type, ACCESS_TOKEN_TYPE, 'issued_token_type', exchanged)
        const type = String(json.token_type).toLowerCase()
        expectEqual(type, 'bearer', 'token_type', exchanged)
        const isNumber = typeof json.expires_in === 'number' && json.expires_in > 0
        check(isNumber, `expires_in is ${shown(json.expires_in)}`, exchanged)
        for (const name of ['refresh_token', 'id_token']) {
          check(json[name] === undefined, `the answer has ${name}`, exchanged)
        }
      }
    },
  },
  {
    number: 'P20',
    part: 'exchange',
    title: 'the access token is of the user, for the resource, by the server',
    clause:
      'The access token MUST be a JWT, unless an opaque one was agreed on for the resource. A JWT MUST be signed with a key of the key set and have the type `at+jwt` (RFC 9068), and `iss`, `sub` (the user), `aud` (the resource), `client_id` (the client that exchanged), `iat`, `exp`, `jti` and `scope`. Of an opaque one, introspection MUST say `active`, `sub`, `aud`, `client_id` and `exp`.',
    async test(server) {
      const { user, exchange } = server.configuration
      const { accessToken, exchanged } = await server.impersonate()
      const claims = await server.read(accessToken, exchanged)
      const isJwt = claims.active === undefined
      const isAgreed = exchange.opaqueResource === exchange.resource
      check(
        isJwt || isAgreed,
        'it is opaque, and exchange.opaqueResource is not this resource',
        exchanged,
      )
      if (isJwt) {
        expectEqual(headerOf(accessToken).typ, 'at+jwt', 'typ', exchanged)
        expectEqual(claims.iss, server.issuer, 'iss', exchanged)
        expectEqual(claims.scope, exchange.scope, 'scope', exchanged)
        check(typeof claims.jti === 'string', 'jti is missing', exchanged)
        check(typeof claims.iat === 'number', 'iat is missing', exchanged)
      }
      expectEqual(claims.sub, user, 'sub', exchanged)
      expectEqual([claims.aud].flat(), [exchange.resource], 'aud', exchanged)
      expectEqual(claims.client_id, exchange.client.id, 'client_id', exchanged)
      check(typeof claims.exp === 'number', 'exp is missing', exchanged)
    },
  },
  {
    number: 'P21',
    part: 'exchange',
    title: 'it lives an hour at most, and as long as the answer says',
    clause:
      'An impersonated access token MUST NOT live longer than 3600 seconds, and `expires_in` MUST be how long it lives.',
    async test(server) {
      const { accessToken, exchanged } = await server.impersonate()
      const { exp = 0, iat = 0 } = await server.read(accessToken, exchanged)
      check(exp - iat <= MAX_LIFETIME_S, `it lives ${exp - iat} seconds`, exchanged)
      const difference = Math.abs(Number(exchanged.json.expires_in) - (exp - iat))
      check(difference <= 1, 'expires_in is not how long the token lives', exchanged)
    },
  },
  {
    number: 'P22',
    part: 'exchange',
    title: 'it can be told from a token of the user',
    clause:
      'An impersonated access token MUST be recognisable, also without `act`: the `jti` of a JWT is `impersonation:` and the id of the impersonation, and introspection of an opaque one answers `impersonation_id`.',
    async test(server) {
      const { accessToken, exchanged, id } = await server.impersonate()
      const { active, jti, impersonation_id } = await server.read(accessToken, exchanged)
      if (active === undefined) expectEqual(jti, `impersonation:${id}`, 'jti', exchanged)
      else expectEqual(impersonation_id, id, 'impersonation_id', exchanged)
    },
  },
  {
    number: 'P23',
    part: 'exchange',
    title: 'no scope is granted that was not asked for, and none left is invalid_scope',
    clause:
      'The granted scope MUST be part of the scope that was asked for; where it is less, the answer MUST say `scope`. Where nothing is left, the exchange MUST be refused with 400 `invalid_scope`.',
    async test(server) {
      const { scope } = server.configuration.exchange
      const form = { scope: `${scope} no-such-scope` }
      const { accessToken, exchanged, subjectToken } = await server.impersonate({ form })
      expectEqual(exchanged.json.scope, scope, 'scope of the answer', exchanged)
      const claims = await server.read(accessToken, exchanged)
      expectEqual(claims.scope, scope, 'scope of the access token', exchanged)
      check(subjectToken !== accessToken, 'the access token is the subject token', exchanged)
      const { subjectToken: subject_token } = await server.issued()
      const refused = await server.exchange({ subject_token, scope: 'no-such-scope' })
      expectRefusal(refused, 400, 'invalid_scope')
    },
  },
  {
    number: 'P24',
    part: 'exchange',
    title: 'one resource that the server knows, or invalid_target',
    clause:
      'A resource that is relative, has a fragment or is unknown, and more than one, MUST be refused with 400 `invalid_target` (RFC 8707).',
    async test(server) {
      const { resource } = server.configuration.exchange
      const { subjectToken: subject_token } = await server.issued()
      for (const wrong of [
        '/relative',
        `${resource}#fragment`,
        'https://unknown.invalid/',
        [resource, 'https://unknown.invalid/'],
      ]) {
        const refused = await server.exchange({ subject_token, resource: wrong })
        expectRefusal(refused, 400, 'invalid_target')
      }
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P25',
    part: 'exchange',
    title: 'a missing or another token type: invalid_request',
    clause:
      '`subject_token` and `subject_token_type` MUST be given once. The type, and `requested_token_type` where it is given, MUST be that of an access token. All else MUST be refused with 400 `invalid_request`.',
    async test(server) {
      const { subjectToken: subject_token } = await server.issued()
      const forms = [
        { subject_token: null },
        { subject_token: [subject_token, subject_token] },
        { subject_token, subject_token_type: null },
        ...OTHER_TOKEN_TYPES.map((subject_token_type) => ({ subject_token, subject_token_type })),
        ...OTHER_TOKEN_TYPES.map((requested_token_type) => ({
          subject_token,
          requested_token_type,
        })),
      ]
      for (const form of forms) {
        expectRefusal(await server.exchange(form), 400, 'invalid_request')
      }
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P26',
    part: 'exchange',
    title: 'nothing is redeemed by a URL or by JSON',
    clause:
      'The token endpoint MUST take an exchange as a `POST` of a form alone. A subject token in a URL or in a JSON body MUST NOT be redeemed.',
    async test(server) {
      const endpoint = server.endpoint('token', 'token_endpoint')
      const { id } = server.configuration.exchange.client
      const { subjectToken: subject_token } = await server.issued()
      const form = { ...server.exchangeForm({ subject_token }), client_id: id }
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(form)
      const url = `${endpoint}?${formBody(form)}`
      const get = await server.send(url, { what: 'GET with the exchange in the URL' })
      check(get.status >= 400, `GET is answered with ${get.status}`, get)
      const post = await server.send(url, { what: 'POST with it in the URL', method: 'POST' })
      check(post.status >= 400, `POST without a body is answered with ${post.status}`, post)
      const what = 'the exchange as JSON'
      const json = await server.send(endpoint, { what, method: 'POST', headers, body })
      check(json.status >= 400, `JSON is answered with ${json.status}`, json)
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P27',
    part: 'exchange',
    title: 'a confidential client authenticates, or gets 401 invalid_client',
    clause:
      'An exchange by a confidential client that does not authenticate MUST be refused with 401 `invalid_client`, and MUST leave the subject token usable.',
    async test(server) {
      const { otherClient } = server.configuration.exchange
      const client = server.need(otherClient, 'exchange.otherClient')
      const members = rebound(server.configuration.issue, { client: client.id })
      const { subjectToken: subject_token } = await server.issued(members)
      for (const secret of [undefined, `${client.secret}-wrong`]) {
        server.redaction.add(secret, 'wrong secret')
        const refused = await server.exchange({ subject_token }, { id: client.id, secret })
        expectRefusal(refused, 401, 'invalid_client')
      }
      expectGrant(await server.exchange({ subject_token }, client))
    },
  },
  {
    number: 'P28',
    part: 'exchange',
    title: 'a client without the grant exchanges nothing',
    clause:
      'A client that is not registered for the grant MUST be refused with 400, and the refusal MUST leave the subject token usable.',
    async test(server) {
      const { clientWithoutGrant } = server.configuration.exchange
      const client = server.need(clientWithoutGrant, 'exchange.clientWithoutGrant')
      const { subjectToken: subject_token } = await server.issued()
      const refused = await server.exchange({ subject_token }, client)
      expectRefusal(refused, 400, 'unauthorized_client', 'invalid_request')
      expectGrant(await server.exchange({ subject_token }))
    },
  },
  {
    number: 'P29',
    part: 'dpop',
    title: 'with a proof, the access token is bound to its key',
    clause:
      'Where the server takes DPoP (RFC 9449), the access token of an exchange with a proof MUST be bound to its key: `token_type` is `DPoP` and `cnf.jkt` the thumbprint.',
    async test(server) {
      const algorithms = server.discovery.dpop_signing_alg_values_supported
      server.need(algorithms, 'DPoP: discovery lists no dpop_signing_alg_values_supported')
      const { subjectToken: subject_token } = await server.issued()
      const { answer, thumbprint } = await dpopProof(server, { subject_token })
      const token = expectGrant(answer)
      expectEqual(String(answer.json.token_type).toLowerCase(), 'dpop', 'token_type', answer)
      const { cnf } = await server.read(token, answer)
      expectEqual(Object(cnf).jkt, thumbprint, 'cnf.jkt', answer)
    },
  },
]
