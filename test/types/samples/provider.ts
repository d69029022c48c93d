import { createServer } from 'node:http'
import type { Middleware } from 'koa'
import type OidcProvider from 'oidc-provider'
import type {
  AccessToken,
  KoaContextWithOIDC,
  Configuration as OidcConfiguration,
} from 'oidc-provider'
import DefaultProvider, {
  type ChecklistItem,
  type Configuration,
  errors,
  type ImpersonationEvent,
  ImpersonationFeature,
  Provider,
  type ProviderConfiguration,
  type RequestListener,
  type SubjectTokenRecord,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import { holds, type Same } from './expect.js'

// A file that imported these from oidc-provider changes the name of the package alone.
holds<Same<typeof DefaultProvider, typeof Provider>>()
holds<Same<Configuration, OidcConfiguration>>()
export const refusal: Error = new errors.InvalidGrant('grant request is invalid')

const configuration: ProviderConfiguration = {
  clients: [{ client_id: 'console', grant_types: [TOKEN_EXCHANGE_GRANT_TYPE] }],
  features: {
    clientCredentials: { enabled: true },
    impersonation: { enabled: true, managementApi: { resource: 'urn:api', clients: ['backend'] } },
  },
}
new Provider('https://id.example.com')

const provider: OidcProvider = new Provider('https://id.example.com', configuration)
const own = new Provider('https://id.example.com', configuration)
holds<Same<typeof own.impersonation, ImpersonationFeature>>()
// @ts-expect-error the management API is made by the constructor
own.impersonation = new ImpersonationFeature()
// @ts-expect-error an unknown option of impersonation
export const unknown: ProviderConfiguration = { features: { impersonation: { enable: true } } }

// Listeners have the types of both packages' events.
own.on('impersonation.started', (ctx, event) => {
  holds<Same<typeof ctx, KoaContextWithOIDC>>()
  holds<Same<typeof event, ImpersonationEvent>>()
  // @ts-expect-error an event is read alone
  event.userId = 'alice'
})
own.on('impersonation.ended', (ctx) => holds<Same<typeof ctx, KoaContextWithOIDC | undefined>>())
for (const name of ['impersonation.issued', 'impersonation.ended'] as const) {
  own.on(name, (ctx, event) => {
    holds<Same<typeof ctx, KoaContextWithOIDC | undefined>>()
    holds<Same<typeof event, ImpersonationEvent>>()
  })
}
own.once('subject_token.consumed', (token) => holds<Same<typeof token, SubjectTokenRecord>>())
own.on('access_token.issued', (token) => holds<Same<typeof token, AccessToken>>())
// @ts-expect-error no listener of this event gets a number
own.on('impersonation.denied', (_ctx, _event: number) => {})

const impersonation = new ImpersonationFeature({ enabled: true })
holds<Same<ReturnType<typeof impersonation.configure>, OidcConfiguration>>()
holds<Same<ReturnType<typeof impersonation.register>, void>>()
holds<Same<ReturnType<typeof impersonation.check>, Promise<readonly ChecklistItem[]>>>()
impersonation.register(provider)
const middleware: Middleware = impersonation.routes()
const listener: RequestListener = impersonation.callback()
createServer(listener)
provider.use(middleware)
// @ts-expect-error whether impersonation is enabled is settled by its options
impersonation.enabled = true
// @ts-expect-error a provider, not its issuer
impersonation.register('https://id.example.com')
