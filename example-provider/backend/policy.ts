import { Problem } from '../http/problem.ts'
import { findPerson, isProtected } from '../people.ts'

/** Only support staff may act as somebody else. */
export function requireSupportStaff(operatorId: string): void {
  if (findPerson(operatorId)?.role !== 'support') {
    throw new Problem(403, 'access_denied', 'only support staff may act as a customer')
  }
}

/**
 * Only customers may be acted as. Somebody who is not known here is left to the provider, which
 * says that there is no such user. The provider protects the same people once more, whoever asks.
 */
export function requireCustomer(userId: string): void {
  const person = findPerson(userId)
  if (person && isProtected(person)) {
    throw new Problem(403, 'access_denied', 'this user is protected')
  }
}
