import { expectGrant, expectRefusal } from '../expect.ts'
import type { Server } from '../server.ts'
import type { Statement } from './statement.ts'

type Tokens = NonNullable<Server['configuration']['operator']>

/** An actor token that somebody else got for the suite: no test can make one by itself. */
async function expectRefused(
  server: Server,
  name: 'withoutScope' | 'revoked' | 'bound',
): Promise<void> {
  const operator: Tokens = server.need(server.configuration.operator, 'operator')
  const actor_token = server.need(operator[name], `operator.${name}`)
  const { subjectToken: subject_token } = await server.issued()
  const refused = await server.exchange({ subject_token, actor_token })
  expectRefusal(refused, 400, 'invalid_request')
  expectGrant(await server.exchange({ subject_token, actor_token: operator.token }))
}

export const ACTOR_TOKEN_STATEMENTS: readonly Statement[] = [
  {
    number: 'P62',
    part: 'actor',
    title: 'an access token without the scope of actor tokens names no operator',
    clause:
      "An operator's access token without the scope that the server asks of actor tokens (`openid`) MUST be refused with 400 `invalid_request`, and MUST leave the subject token usable.",
    test: (server) => expectRefused(server, 'withoutScope'),
  },
  {
    number: 'P63',
    part: 'actor',
    title: 'an access token of a revoked grant names no operator',
    clause:
      "An operator's access token whose grant has been revoked MUST be refused with 400 `invalid_request`, and MUST leave the subject token usable.",
    test: (server) => expectRefused(server, 'revoked'),
  },
  {
    number: 'P64',
    part: 'actor',
    title: 'an access token that is bound to a key names no operator without its proof',
    clause:
      "An operator's access token that is bound to a key or a certificate MUST be refused with 400 `invalid_request` in an exchange that does not prove it, and MUST leave the subject token usable.",
    test: (server) => expectRefused(server, 'bound'),
  },
]
