import type { Client, ClientMetadata } from 'oidc-provider'
import type {
  ACCESS_TOKEN_TYPE,
  ActClaim,
  Actor,
  Authorize,
  BindingMember,
  ContextValidator,
  Denial,
  GetCustomJwtClaims,
  ImpersonationOptions,
  SubjectTokenContext,
  Verdict,
} from 'oidc-provider-impersonation'
import { z } from 'zod'
import { holds, type Same } from './expect.js'

// Every option may be left out, and `undefined` is as good as absent, also under
// exactOptionalPropertyTypes.
export const none: ImpersonationOptions = {}
export const absent: ImpersonationOptions = {
  enabled: undefined,
  managementApi: { resource: undefined, clients: undefined, requireBinding: undefined },
  subjectToken: { singleUse: undefined },
  accessToken: undefined,
  actorToken: { maxAge: undefined },
  authorize: undefined,
}

export const schema: ImpersonationOptions = {
  contextSchema: z.object({ ticketId: z.string() }),
}

export const wrong: ImpersonationOptions[] = [
  // @ts-expect-error seconds are a number
  { accessToken: { maxTtl: '10 minutes' } },
  // @ts-expect-error one of two words
  { subjectToken: { singleUse: 'process' } },
  // @ts-expect-error who issues has to be said
  { managementApi: { clients: { end: ['backend'] } } },
  // @ts-expect-error no member of a binding
  { managementApi: { requireBinding: ['audience'] } },
  // @ts-expect-error an option that does not exist
  { actorToken: { optional: true } },
  // @ts-expect-error values of environment variables are text
  { environmentVariables: { PORT: 3000 } },
]

export const claims: GetCustomJwtClaims = async ({ token, context, environmentVariables }) => {
  holds<Same<typeof token.sub, string>>()
  holds<Same<typeof token.act, ActClaim | undefined>>()
  holds<Same<typeof context.grant.subjectTokenContext, SubjectTokenContext>>()
  holds<Same<SubjectTokenContext, Readonly<Record<string, unknown>>>>()
  holds<Same<typeof context.actor, Actor | undefined>>()
  holds<Same<typeof context.actorClient, string | undefined>>()
  const metadata: Readonly<ClientMetadata> | undefined = context.client?.metadata
  // @ts-expect-error what the backend sent has no known type
  const ticketId: string = context.grant.subjectTokenContext.ticketId
  // @ts-expect-error the token is read alone
  token.sub = 'mallory'
  return { ticketId, client_name: metadata?.client_name, region: environmentVariables.REGION }
}
export const noClaims: GetCustomJwtClaims = () => undefined
// @ts-expect-error claims are members of an object
export const textAsClaims: GetCustomJwtClaims = () => 'admin'

export const authorize: Authorize = ({ stage, client, account, actor, mayAct, context }) => {
  holds<Same<typeof stage, 'issue' | 'exchange'>>()
  holds<Same<typeof client, Client>>()
  holds<Same<typeof account.accountId, string>>()
  // @ts-expect-error there may be no actor
  const operator: string = actor.sub
  if (mayAct?.sub === operator) return { scope: 'orders:read', accessTokenTtl: 300 }
  return context.approved === true
}
// @ts-expect-error a decision is not text
export const wordy: Authorize = async () => 'yes'

export const mistyped: Verdict[] = [
  // @ts-expect-error there is no such member
  { scop: 'orders:read' },
  // @ts-expect-error a number of seconds
  { accessTokenTtl: '60' },
]

export const validate: ContextValidator = (context) =>
  'ticketId' in context
    ? { value: context }
    : { issues: [{ message: 'ticketId is missing', path: ['ticketId'] }] }

holds<Same<BindingMember, 'mayAct' | 'resource' | 'scope' | 'expiresIn'>>()
holds<Same<Denial['stage'], 'end' | 'exchange' | 'issue'>>()
holds<Same<typeof ACCESS_TOKEN_TYPE, 'urn:ietf:params:oauth:token-type:access_token'>>()
