import type { Provider } from 'oidc-provider-impersonation'
import { Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'
import { machineToken } from './machine-token.ts'
import { type Answer, postJson, unexpected } from './provider-client.ts'

/** The body of a request for a subject token: see docs/api. */
export interface SubjectTokenRequest {
  readonly userId: string
  readonly mayAct: { readonly sub: string; readonly clientId: string }
  readonly resource: string
  readonly scope: string
  readonly expiresIn: number
  readonly context: Readonly<Record<string, unknown>>
}

export interface IssuedSubjectToken {
  readonly subjectToken: string
  /** Seconds. */
  readonly expiresIn: number
}

/**
 * Asks the management API for a subject token, over HTTP, as any backend does.
 *
 * @throws Problem with what concerns the operator, such as `access_denied`; 503 where the provider
 * cannot be reached; 502 where it does not accept what the console is
 */
export type IssueSubjectToken = (request: SubjectTokenRequest) => Promise<IssuedSubjectToken>

export function subjectTokenIssuer(
  provider: Provider,
  { machine, providerUrl, managementPath }: Settings,
): IssueSubjectToken {
  const { resource, scope } = provider.impersonation.managementApi
  const tokens = machineToken({
    machine,
    resource,
    scope,
    issuer: provider.issuer,
    tokenEndpoint: new URL(provider.pathFor('token'), providerUrl).href,
  })
  const url = new URL(`${managementPath}/subject-tokens`, providerUrl)

  async function send(request: SubjectTokenRequest): Promise<Answer> {
    const token = await tokens.get()
    const answer = await postJson(url, token, request)
    if (answer.status === 401) tokens.discard(token)
    return answer
  }

  return async (request) => {
    const first = await send(request)
    // The current token may be revoked, or the provider may have new keys.
    return issuedBy(first.status === 401 ? await send(request) : first)
  }
}

function issuedBy({ status, json, retryAfter }: Answer): IssuedSubjectToken {
  const { subjectToken, expiresIn, error, error_description: description = error } = json
  if (status === 201 && typeof subjectToken === 'string' && typeof expiresIn === 'number') {
    return { subjectToken, expiresIn }
  }
  // What concerns the caller is passed on. A scope that is missing concerns the console's token.
  // A path where no management API is answers 404, too.
  const isForCaller =
    ([400, 403, 429, 503].includes(status) && error !== 'insufficient_scope') ||
    (status === 404 && error === 'user_not_found')
  if (isForCaller && typeof error === 'string') {
    throw new Problem(status, error, String(description), { retryAfter })
  }
  const told = typeof error === 'string' ? ` ${error}` : ''
  throw unexpected(`the management API answered ${status}${told}`)
}
