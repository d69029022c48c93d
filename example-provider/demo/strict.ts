import {
  type Authorize,
  allOf,
  type BindingMember,
  type ContextValidator,
  type ImpersonationOptions,
} from 'oidc-provider-impersonation'
import { people } from '../accounts.ts'
import { authorize } from '../policy.ts'

/** The backend cannot say otherwise. */
const staffInPerson: Authorize = ({ actor, software }) =>
  actor !== undefined && software === undefined && people.find(actor.sub)?.isStaff === true
staffInPerson.description = 'Only support staff acts, and in person.'

/** Without these members, the audit does not show why the operator acted. */
const requireReasonAndTicket: ContextValidator = (context) => {
  const issues = ['reason', 'ticketId']
    .filter((name) => typeof context[name] !== 'string' || context[name].trim() === '')
    .map((name) => ({ message: 'a text that is not empty is required', path: [name] }))
  return issues.length > 0 ? { issues } : undefined
}

/** The changes by `STRICT=1`. */
type Rules = Pick<ImpersonationOptions, 'actorToken' | 'contextSchema'> & {
  readonly authorize: Authorize
  readonly requireBinding: readonly BindingMember[]
}

export const STRICT_RULES: Rules = {
  actorToken: { required: true, maxAge: 3600, sameClient: true },
  authorize: allOf(staffInPerson, authorize),
  contextSchema: requireReasonAndTicket,
  requireBinding: ['mayAct', 'resource', 'scope'],
}
