import type {
  Authorize,
  ContextStandardSchema,
  ContextValidator,
  GetCustomJwtClaims,
} from '../public/hooks.ts'
import type { ClientRule, ImpersonationOptions } from '../public/options.ts'
import { END_SCOPE, MAX_ACCESS_TOKEN_TTL, READ_SCOPE } from '../shared/constants.ts'
import { isPlainObject } from '../shared/json.ts'
import { descriptionsOf } from './descriptions.ts'
import {
  absoluteUri,
  aFunction,
  boolean,
  group,
  hasMethod,
  integer,
  isTextList,
  oneOf,
  type Resolved,
  resolve,
  rule,
  someOf,
  valid,
} from './rules.ts'

/** One scope token, RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/
/** Literal path segments: a router reads no character of them as a pattern. */
const PATH_PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/

const scope = valid<string>(
  (value) => typeof value === 'string' && SCOPE_TOKEN.test(value),
  'one scope token: printable ASCII without space, quote or backslash',
)

const path = valid<string>(
  (value) => typeof value === 'string' && PATH_PREFIX.test(value),
  "'' or a path such as '/api': plain segments, no slash at the end",
)

const clientRule = valid<ClientRule>(
  (value) => isTextList(value) || typeof value === 'function',
  'an array of client ids, or a function that tells of a client whether it may',
)

const operatorClients = valid<boolean | readonly string[]>(
  (value) => typeof value === 'boolean' || (isTextList(value) && value.length > 0),
  'true, false or an array of client ids, at least one',
)

const actions = { issue: clientRule.or([]), read: clientRule.or([]), end: clientRule.or([]) }

/** One rule for each action. A list alone is the short form of the first rule. */
const managementClients = rule<Resolved<typeof actions>>((value, path) => {
  const given = Array.isArray(value) ? { issue: value } : value
  if (!isPlainObject(given) || given.issue === undefined) {
    throw new TypeError(
      `${path} must be an array of client ids, or { issue, read?, end? }, each an array of client ids or a function`,
    )
  }
  return resolve(actions, given, path)
})

const stringMap = rule<Readonly<Record<string, string>>>((value, path) => {
  const isMap = (given: unknown): given is Record<string, string> =>
    isPlainObject(given) && Object.values(given).every((entry) => typeof entry === 'string')
  if (isMap(value)) return Object.freeze({ ...value })
  throw new TypeError(`${path} must be an object whose values are strings`)
})

const contextSchema = valid<ContextValidator | ContextStandardSchema>(
  (value) => typeof value === 'function' || hasMethod(Object(value)['~standard'], 'validate'),
  'a function or a Standard Schema',
)

const ruleFunction = aFunction<Authorize>().required('')

const authorize = rule<Authorize>((value, path) => {
  const given = ruleFunction(value, path)
  descriptionsOf(given, path)
  return given
})

export const BINDING_MEMBERS = ['mayAct', 'resource', 'scope', 'expiresIn'] as const

/** The options of `features.impersonation`: types, bounds and defaults. */
export const impersonationRules = {
  enabled: boolean.or(false),
  managementApi: group({
    resource: absoluteUri(Number.POSITIVE_INFINITY).or(''),
    scope: scope.or('impersonate'),
    prefix: path.or('/api'),
    tokenTtl: integer(1, 86400).or(600),
    tokenFormat: oneOf(['jwt', 'opaque']).or('jwt'),
    clients: Object.assign(managementClients.or({ issue: [], read: [], end: [] }), { of: actions }),
    requireBinding: someOf(BINDING_MEMBERS).or([]),
  }),
  allowSelfRegisteredClients: boolean.or(false),
  applications: clientRule.or([]),
  subjectToken: group({
    singleUse: oneOf(['adapter', 'per-process']).or('adapter'),
  }),
  accessToken: group({ maxTtl: integer(1, MAX_ACCESS_TOKEN_TTL).or(3600) }),
  actorToken: group({
    required: boolean.or(false),
    scope: scope.or('openid'),
    maxAge: integer(1, 2592000),
    sameClient: operatorClients.or(false),
    grantClaim: boolean.or(true),
  }),
  softwareActors: clientRule.or([]),
  ending: group({
    enabled: boolean,
    onReplay: oneOf(['end', 'report']).or('end'),
    endWithOperator: boolean.or(true),
  }),
  limits: group({
    userIdLength: integer(1, 1024).or(255),
    contextBytes: integer(2, 65536).or(4096),
    bodyBytes: integer(64, 1048576).or(16384),
  }),
  authorize,
  contextSchema,
  getCustomJwtClaims: aFunction<GetCustomJwtClaims>(),
  environmentVariables: stringMap.or({}),
}

/** The options with every default filled in, frozen. */
export type ResolvedOptions = Resolved<typeof impersonationRules>

const OPTIONS_PATH = 'features.impersonation'

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the dotted path of the first option that is unknown or wrong.
 */
export function resolveOptions(options: ImpersonationOptions): ResolvedOptions {
  const resolved = resolve(impersonationRules, options, OPTIONS_PATH)
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
