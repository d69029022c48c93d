import type { Authorize, ContextValidator, ImpersonationOptions } from '../../src/index.ts'
import { findPerson, isProtected } from '../people.ts'

/**
 * Asked at issue and again at the exchange: whoever has powers of their own is protected, even
 * from the machine-to-machine client. Who was promoted in the meantime is, too.
 *
 * Who else is acted as, is for as long as the support backend has said in the context: that can
 * only make it shorter. Where it has said something that is no time, somebody meant a limit, and
 * none would hold: nobody acts.
 */
export const authorize: Authorize = ({ account, context: { duration } }) => {
  const person = findPerson(account.accountId)
  if (person === undefined || isProtected(person)) return false
  if (duration === undefined) return true
  return isSeconds(duration) && { accessTokenTtl: duration }
}

/** How long ago the operator may have signed in, in seconds. */
const MAX_AGE = 3600

/** Without these, nobody can tell afterwards why it was done. */
const COMPULSORY = ['reason', 'ticketId'] as const

const requireReasonAndTicket: ContextValidator = (context) => {
  const issues = COMPULSORY.filter((name) => !isText(context[name])).map((name) => ({
    message: 'a text that is not empty is required',
    path: [name],
  }))
  return issues.length > 0 ? { issues } : undefined
}

/** What `STRICT=1` adds. */
export const STRICT_RULES: Pick<ImpersonationOptions, 'actorToken' | 'contextSchema'> = {
  actorToken: { required: true, maxAge: MAX_AGE, sameClient: true },
  contextSchema: requireReasonAndTicket,
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
