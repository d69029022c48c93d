import { Problem } from '../http/problem.ts'
import { findPerson, isProtected } from '../people.ts'

/** Only support staff may act as another person. */
export function requireSupportStaff(operatorId: string): void {
  if (findPerson(operatorId)?.role !== 'support') {
    throw new Problem(403, 'access_denied', 'only support staff may act as a customer')
  }
}

/**
 * Only customers may be impersonated. For an unknown user, the provider answers that the user does
 * not exist. The provider protects the same people again, for every caller.
 */
export function requireCustomer(userId: string): void {
  const person = findPerson(userId)
  if (person && isProtected(person)) {
    throw new Problem(403, 'access_denied', 'this user is protected')
  }
}
