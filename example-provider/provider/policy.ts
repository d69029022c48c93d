import type {
  Authorize,
  BindingMember,
  ContextValidator,
  ImpersonationOptions,
} from '../../src/index.ts'
import { findPerson, isProtected } from '../people.ts'

/**
 * Runs at issue and again at the exchange. People with special rights are protected from every
 * client, also from the machine client, and also if they got the rights between the two checks.
 *
 * For all others, the `duration` in the context of the support backend can only shorten the time.
 * If `duration` is not a valid time, the caller wanted a limit that cannot be applied, so the
 * impersonation is refused.
 */
const authorize: Authorize = ({ account, context: { duration } }) => {
  const person = findPerson(account.accountId)
  if (person === undefined || isProtected(person)) return false
  if (duration === undefined) return true
  return isSeconds(duration) && { accessTokenTtl: duration }
}

/** The largest age of the operator's sign-in, in seconds. */
const MAX_AGE = 3600

/** Without these members, the audit does not show why the operator acted. */
const COMPULSORY = ['reason', 'ticketId'] as const

const requireReasonAndTicket: ContextValidator = (context) => {
  const issues = COMPULSORY.filter((name) => !isText(context[name])).map((name) => ({
    message: 'a text that is not empty is required',
    path: [name],
  }))
  return issues.length > 0 ? { issues } : undefined
}

/**
 * The actor must be support staff and act in person. At issue, the actor is the operator that the
 * token is bound to; at the exchange, the subject of the actor token. The caller of the management
 * API cannot make an operator of a customer.
 */
const authorizeStaff: Authorize = (request) => {
  const { actor } = request
  if (actor === undefined || actor.act !== undefined) return false
  return findPerson(actor.sub)?.role === 'support' && authorize(request)
}

/** The rules that `STRICT=1` changes. */
type Rules = Pick<ImpersonationOptions, 'actorToken' | 'authorize' | 'contextSchema'> & {
  readonly requireBinding: readonly BindingMember[]
}

export const RULES: Rules = { authorize, requireBinding: [] }

export const STRICT_RULES: Rules = {
  actorToken: { required: true, maxAge: MAX_AGE, sameClient: true },
  authorize: authorizeStaff,
  contextSchema: requireReasonAndTicket,
  requireBinding: ['mayAct', 'resource', 'scope'],
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
