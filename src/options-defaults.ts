import { BINDING_MEMBERS, type BindingMember } from './binding.ts'
import type { GetCustomJwtClaims } from './claims-hook.ts'
import type { ImpersonationOptions } from './options.ts'
import { resolve, type Shape } from './options-validation.ts'
import type { Authorize, ContextStandardSchema, ContextValidator } from './policy-hook.ts'
import type { RateLimiter } from './rate-limit.ts'

/** The options with every default filled in, frozen. */
export interface ResolvedOptions {
  readonly enabled: boolean
  readonly managementApi: {
    readonly resource: string
    readonly scope: string
    readonly prefix: string
    readonly tokenTtl: number
    readonly tokenFormat: 'jwt' | 'opaque'
    readonly clients: readonly string[] | undefined
    readonly requireBinding: readonly BindingMember[]
  }
  readonly subjectToken: {
    readonly ttl: number | undefined
    readonly singleUse: 'adapter' | 'per-process'
  }
  readonly accessToken: { readonly maxTtl: number }
  readonly actorToken: {
    readonly required: boolean
    readonly scope: string
    readonly maxAge: number | undefined
    readonly sameClient: boolean
    readonly chain: { readonly maxDepth: number }
  }
  readonly limits: {
    readonly userIdLength: number
    readonly contextBytes: number
    readonly bodyBytes: number
    readonly issue: RateLimiter | undefined
    readonly failedExchanges: RateLimiter | undefined
  }
  readonly authorize: Authorize | undefined
  readonly contextSchema: ContextValidator | ContextStandardSchema | undefined
  readonly getCustomJwtClaims: GetCustomJwtClaims | undefined
  readonly environmentVariables: Readonly<Record<string, string>>
}

/** The longest a subject token may live, in seconds. */
export const MAX_SUBJECT_TOKEN_TTL = 3600

/** Lifetime of a subject token where neither option says otherwise, in seconds. */
export const DEFAULT_SUBJECT_TOKEN_TTL = 600

const shape: Shape = {
  enabled: { type: 'boolean', default: false },
  managementApi: {
    resource: { type: 'resource', default: '' },
    scope: { type: 'scope', default: 'impersonate' },
    prefix: { type: 'path', default: '/api' },
    tokenTtl: { type: 'integer', min: 1, max: 86400, default: 600 },
    tokenFormat: { type: 'oneOf', values: ['jwt', 'opaque'], default: 'jwt' },
    clients: { type: 'strings', default: undefined },
    requireBinding: { type: 'someOf', values: BINDING_MEMBERS, default: [] },
  },
  subjectToken: {
    ttl: { type: 'integer', min: 1, max: MAX_SUBJECT_TOKEN_TTL, default: undefined },
    singleUse: { type: 'oneOf', values: ['adapter', 'per-process'], default: 'adapter' },
  },
  accessToken: { maxTtl: { type: 'integer', min: 1, max: 86400, default: 3600 } },
  actorToken: {
    required: { type: 'boolean', default: false },
    scope: { type: 'scope', default: 'openid' },
    maxAge: { type: 'integer', min: 1, max: 2592000, default: undefined },
    sameClient: { type: 'boolean', default: false },
    chain: { maxDepth: { type: 'integer', min: 0, max: 8, default: 0 } },
  },
  limits: {
    userIdLength: { type: 'integer', min: 1, max: 1024, default: 255 },
    contextBytes: { type: 'integer', min: 2, max: 65536, default: 4096 },
    bodyBytes: { type: 'integer', min: 64, max: 1048576, default: 16384 },
    issue: { type: 'object', method: 'consume' },
    failedExchanges: { type: 'object', method: 'consume' },
  },
  authorize: { type: 'function', default: undefined },
  contextSchema: { type: 'schema', default: undefined },
  getCustomJwtClaims: { type: 'function', default: undefined },
  environmentVariables: { type: 'stringMap', default: {} },
}

const PATH = 'features.impersonation'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the dotted path of the first option that is unknown or wrong.
 */
export function resolveOptions(options: ImpersonationOptions): ResolvedOptions {
  const resolved = resolve<ResolvedOptions>(shape, options, PATH)
  if (resolved.enabled && resolved.managementApi.resource === '') {
    throw new TypeError(
      `${PATH}.managementApi.resource is required: the absolute URI that names the management API, for example 'https://id.example.com/api'`,
    )
  }
  return resolved
}
