import { slot } from '../host/slot.ts'
import type { GetCustomJwtClaims } from '../public/claims-hook.ts'
import type { ClientRule, ImpersonationOptions, ManagementClients } from '../public/options.ts'
import type { Authorize, ContextStandardSchema, ContextValidator } from '../public/policy-hook.ts'
import type { RateLimiter } from '../public/rate-limiter.ts'
import {
  END_SCOPE,
  MAX_ACCESS_TOKEN_TTL,
  MAX_SUBJECT_TOKEN_TTL,
  READ_SCOPE,
} from '../shared/constants.ts'
import {
  clientRule,
  clientsRule,
  functionRule,
  objectRule,
  type Resolved,
  type Shape,
  schemaRule,
} from './option-rules.ts'
import { resolve } from './resolve-options.ts'

/** Lifetime of a subject token where neither option says otherwise, in seconds. */
export const DEFAULT_SUBJECT_TOKEN_TTL = 600

type Clients = { readonly [Action in keyof Required<ManagementClients>]: ClientRule }

/** What `features.impersonation` may hold: types, bounds and defaults. */
export const impersonationShape = {
  enabled: { type: 'boolean', default: false },
  managementApi: {
    resource: { type: 'resource', default: '' },
    scope: { type: 'scope', default: 'impersonate' },
    prefix: { type: 'path', default: '/api' },
    tokenTtl: { type: 'integer', min: 1, max: 86400, default: 600 },
    tokenFormat: { type: 'oneOf', values: ['jwt', 'opaque'], default: 'jwt' },
    clients: clientsRule<Clients>({ issue: [], read: [], end: [] }),
    requireBinding: {
      type: 'someOf',
      values: ['mayAct', 'resource', 'scope', 'expiresIn'],
      default: [],
    },
  },
  allowSelfRegisteredClients: { type: 'boolean', default: false },
  applications: clientRule<ClientRule>([]),
  subjectToken: {
    ttl: { type: 'integer', min: 1, max: MAX_SUBJECT_TOKEN_TTL, default: undefined },
    singleUse: { type: 'oneOf', values: ['adapter', 'per-process'], default: 'adapter' },
  },
  accessToken: { maxTtl: { type: 'integer', min: 1, max: MAX_ACCESS_TOKEN_TTL, default: 3600 } },
  actorToken: {
    required: { type: 'boolean', default: false },
    scope: { type: 'scope', default: 'openid' },
    maxAge: { type: 'integer', min: 1, max: 2592000, default: undefined },
    sameClient: { type: 'boolean', default: false },
    grantClaim: { type: 'boolean', default: true },
    clients: clientRule<ClientRule>([]),
    chain: { maxDepth: { type: 'integer', min: 0, max: 8, default: 0 } },
  },
  lifecycle: {
    enabled: { type: 'boolean', default: undefined },
    onReplay: { type: 'oneOf', values: ['end', 'report'], default: 'end' },
    endWithOperator: { type: 'boolean', default: true },
  },
  limits: {
    userIdLength: { type: 'integer', min: 1, max: 1024, default: 255 },
    contextBytes: { type: 'integer', min: 2, max: 65536, default: 4096 },
    bodyBytes: { type: 'integer', min: 64, max: 1048576, default: 16384 },
    issue: objectRule<RateLimiter>('consume'),
    issuePerActor: objectRule<RateLimiter>('consume'),
    failedExchanges: objectRule<RateLimiter>('consume'),
  },
  atomicReplayDetection: { type: 'boolean', default: true },
  authorize: functionRule<Authorize>(),
  contextSchema: schemaRule<ContextValidator | ContextStandardSchema>(),
  getCustomJwtClaims: functionRule<GetCustomJwtClaims>(),
  environmentVariables: { type: 'stringMap', default: {} },
} as const satisfies Shape

/** The options with every default filled in, frozen. */
export type ResolvedOptions = Resolved<typeof impersonationShape>

/** The options of a provider's impersonation. */
export const optionsOf = slot<ResolvedOptions>('the options of impersonation')

const OPTIONS_PATH = 'features.impersonation'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the dotted path of the first option that is unknown or wrong.
 */
export function resolveOptions(options: ImpersonationOptions): ResolvedOptions {
  const resolved = resolve(impersonationShape, options, OPTIONS_PATH)
  if (resolved.enabled && resolved.managementApi.resource === '') {
    throw new TypeError(
      `${OPTIONS_PATH}.managementApi.resource is required: the absolute URI that names the management API, for example 'https://id.example.com/api'`,
    )
  }
  if (resolved.enabled && options.managementApi?.clients === undefined) {
    throw new TypeError(
      `${OPTIONS_PATH}.managementApi.clients is required: the ids of the clients that may issue subject tokens, and so act as any user, for example ['backend'], or { issue: async (client) => … } where clients live in a database`,
    )
  }
  const { scope } = resolved.managementApi
  if (scope === READ_SCOPE || scope === END_SCOPE) {
    throw new TypeError(
      `${OPTIONS_PATH}.managementApi.scope must be neither '${READ_SCOPE}' nor '${END_SCOPE}': those are the scopes to see and to end impersonations`,
    )
  }
  return resolved
}
