import { errors } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE, type Verdict } from '../../../src/index.ts'
import { REDIRECT_URI } from '../../support/clients.ts'
import { athOf, dpopKey } from '../../support/dpop.ts'
import { type Faults, faultyAdapter } from '../../support/faulty-adapter.ts'
import { type Answer, answerOf, basic } from '../../support/http.ts'
import { EVERYTHING, type Managed, managing, RESOURCE } from '../../support/managing.ts'

/** What a deployment's own code says. Requests change it. */
export interface Rules {
  authorize: Verdict
  contextIssues: ReadonlyArray<{ message: string; path?: string[] }> | undefined
  /** What `findAccount` and `getCustomJwtClaims` throw. */
  refusal: Error | undefined
  isIssueLimited: boolean
  /** At which points the limiter of failed exchanges refuses. */
  exhaustedAt: number | undefined
  isOriginAllowed: boolean
  requireNonce: boolean
  /** The event that the audit does not store. */
  unrecorded: string | undefined
  isAuditReady: boolean
}

/** A route that takes a token of its own. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  /** What fails for a 500. */
  readonly fault: string
  /** It takes the impersonated token itself. */
  readonly isCurrent?: true
}

export interface Request {
  readonly method?: string
  readonly path?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Claims of the proof. */
  readonly claims?: object
  /** `null` for none. */
  readonly token?: string | null
}

/** A deployment whose rules and storage change while it runs. */
export interface World extends Managed {
  readonly rules: Rules
  readonly faults: Faults
  readonly dPoP: DPoP | undefined
  /** A request with the token that the route takes, and with a proof where the tokens are bound. */
  ask(route: Route, request?: Request): Promise<Answer>
  /** The header with a proof, where the tokens are bound. */
  proofs(htu: string, claims?: object): Promise<Record<string, string>>
  /** The next impersonated token, which the routes of the token itself take from now on. */
  impersonate(): Promise<{ readonly id: string }>
  machineToken(scope: string): Promise<string>
}

interface DPoP {
  readonly enabled: true
  readonly nonceSecret?: Buffer
}

const EXHAUSTED = { msBeforeNext: 1500 }
const EXPIRED = { client_id: 'expired', client_secret: 'secret', client_secret_expires_at: 1 }
const BOUND = { client_id: 'bound', client_secret: 'secret', dpop_bound_access_tokens: true }
const user = {
  grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
  redirect_uris: [REDIRECT_URI],
}
const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }

export async function startWorld(dPoP?: DPoP): Promise<World> {
  const { adapter, faults } = faultyAdapter()
  const accounts = new Set(['alice', 'bob', 'olivia'])
  const rules: Rules = {
    authorize: true,
    contextIssues: undefined,
    refusal: undefined,
    isIssueLimited: false,
    exhaustedAt: undefined,
    isOriginAllowed: true,
    requireNonce: false,
    unrecorded: undefined,
    isAuditReady: true,
  }
  const clients = { issue: ['backend'], read: ['backend'], end: ['backend'] }
  const deployment = await managing({
    accounts,
    clients: [
      { ...user, ...EXPIRED },
      ...(dPoP ? [{ ...user, ...BOUND }] : []),
      { ...machine, client_id: 'other', client_secret: 'secret' },
      { ...machine, client_id: 'public', token_endpoint_auth_method: 'none' },
    ],
    configuration: {
      adapter,
      clientBasedCORS: () => rules.isOriginAllowed,
      findAccount(_ctx, accountId) {
        if (rules.refusal) throw rules.refusal
        return accounts.has(accountId)
          ? { accountId, claims: () => ({ sub: accountId }) }
          : undefined
      },
      ...(dPoP ? { features: { dPoP: { ...dPoP, requireNonce: () => rules.requireNonce } } } : {}),
    },
    impersonation: {
      managementApi: { resource: RESOURCE, clients },
      authorize: () => rules.authorize,
      contextSchema: (value) => (rules.contextIssues ? { issues: rules.contextIssues } : { value }),
      rateLimits: {
        issue: { consume: async () => refuseIf(rules.isIssueLimited) },
        failedExchanges: {
          consume: async (_key, points) => refuseIf(points === rules.exhaustedAt),
        },
      },
    },
  })
  const { base, issuer, post, provider } = deployment
  provider.impersonation.recordFirst(
    async (name) => {
      if (name === rules.unrecorded) throw new Error('disk full')
    },
    { ready: () => rules.isAuditReady },
  )
  const key = dPoP ? await dpopKey() : undefined
  const proofs = async (htu: string, claims: object = {}) =>
    key ? { dpop: await key.proof({ htu, ...claims }) } : ({} as Record<string, string>)
  const machineToken = async (scope: string): Promise<string> => {
    const form = { grant_type: 'client_credentials', resource: RESOURCE, scope }
    const headers = { ...basic('backend', 'backend-secret'), ...(await proofs(`${issuer}/token`)) }
    return (await post('/oidc/token', form, headers)).body.access_token
  }
  const everything = await machineToken(EVERYTHING)
  let current = ''
  return {
    ...deployment,
    rules,
    faults,
    dPoP,
    proofs,
    machineToken,
    async impersonate() {
      const { id, subjectToken: subject_token } = await deployment.start()
      const answer = await deployment.exchange({ subject_token }, await proofs(`${issuer}/token`))
      current = answer.body.access_token
      return { id }
    },
    async ask(route, request = {}) {
      const { method = route.method, path = route.path, body = route.body, claims } = request
      const { token = route.isCurrent ? current : everything } = request
      const proof = { htm: route.method, ath: athOf(token ?? ''), ...claims }
      const headers = {
        'content-type': 'application/json',
        ...(token === null
          ? {}
          : {
              authorization: `${key ? 'DPoP' : 'Bearer'} ${token}`,
              ...(await proofs(base + path.replace(/\?.*/, ''), proof)),
            }),
        ...request.headers,
      }
      const content = typeof body === 'string' ? body : JSON.stringify(body)
      const hasBody = body !== undefined && method !== 'GET'
      const init = { method, headers, ...(hasBody ? { body: content } : {}) }
      return answerOf(await fetch(base + path, init))
    },
  }
}

function refuseIf(isExhausted: boolean): void {
  if (isExhausted) throw EXHAUSTED
}

/** Changes rules for one request, and puts them back. */
export async function under(
  { rules }: World,
  change: Partial<Rules>,
  send: () => Promise<unknown>,
): Promise<void> {
  const before = { ...rules }
  Object.assign(rules, change)
  await send()
  Object.assign(rules, before)
}

/** What the deployment's own code throws to refuse: with words, and without. */
export const REFUSALS = [new errors.AccessDenied(), new errors.AccessDenied('protected account')]
