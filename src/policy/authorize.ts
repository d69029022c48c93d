import { errors } from 'oidc-provider'
import type { AuthorizationRequest, Authorize } from '../public/hooks.ts'
import { ApprovalRequired, NotApproved } from '../shared/errors.ts'
import { type Limits, parseVerdict } from './verdict.ts'

const OPTION_PATH = 'features.impersonation.authorize'

/** What the deployment's rule allows of a request: all that was asked for, or less. */
export interface Permission extends Pick<Limits, 'accessTokenTtl' | 'permit' | 'review'> {
  readonly scope: string | undefined
}

/**
 * Asks the deployment's rule.
 *
 * @throws errors.AccessDenied where it refuses; at the exchange, {@link NotApproved} where it needs an
 * approval that there is not
 * @throws ApprovalRequired at issue, where it needs one
 * @throws Error where it fails or answers anything else (I9: nothing is issued then)
 */
export function permissionFor(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<Permission> | Permission {
  if (authorize) return askAuthorize(authorize, request)
  return { scope: request.scope }
}

async function askAuthorize(
  authorize: Authorize,
  request: AuthorizationRequest,
): Promise<Permission> {
  let verdict: unknown
  try {
    verdict = await authorize(Object.freeze(request))
  } catch (cause) {
    // If the rule throws, even an error of the protocol, the request is not permitted.
    throw new Error(`${OPTION_PATH} failed at the stage ${request.stage}`, { cause })
  }
  const limits = parseVerdict(verdict, request, OPTION_PATH)
  const why = refusalCause(request)
  if (limits === false) throw new errors.AccessDenied('refused by policy', why)
  const { needs, emergency } = limits
  if (needs && request.stage === 'issue') throw new ApprovalRequired(needs, emergency, why)
  if (needs) throw new NotApproved(needs, why)
  // At issue, the empty string means that no scope may ever be granted; `undefined` means no limit.
  const { scope = request.scope } = limits
  const left = request.stage === 'exchange' && scope === '' ? undefined : scope
  return { ...limits, scope: left }
}

type Asked = Pick<AuthorizationRequest, 'ctx'>

/** By the context of the request: a joined rule is asked with a request of its own. */
const causes = new WeakMap<object, Error>()

/**
 * Says why a rule is about to refuse, or to need an approval: for the event and the log. The caller is
 * told nothing of it.
 */
export function explainRefusal({ ctx }: Asked, why: string): void {
  if (ctx) causes.set(ctx, new Error(why))
}

/** What {@link explainRefusal} said of this request, as the options of an error. */
export function refusalCause({ ctx }: Asked): ErrorOptions {
  const cause = ctx && causes.get(ctx)
  return cause ? { cause } : {}
}
