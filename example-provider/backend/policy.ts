import { Problem } from '../http/problem.ts'
import { findPerson } from '../people.ts'

/** Only support staff may act as somebody else. */
export function requireSupportStaff(operatorId: string): void {
  if (findPerson(operatorId)?.role !== 'support') {
    throw new Problem(403, 'access_denied', 'only support staff may act as a customer')
  }
}

/**
 * Only customers may be acted as: whoever has powers of their own here is protected. Somebody who
 * is not known here is left to the provider, which says that there is no such user.
 */
export function requireCustomer(userId: string): void {
  const person = findPerson(userId)
  if (person && person.role !== 'customer') {
    throw new Problem(403, 'access_denied', 'this user is protected')
  }
}
