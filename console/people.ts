/** A person of the deployment, as the console shows people. */
export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  /** Whether this person works in support, and may use the console. */
  readonly isStaff: boolean
  /** Whether acting as this person is forbidden. */
  readonly isProtected: boolean
}

/** The user directory of the deployment. */
export interface People {
  find(id: string): Person | undefined
  all(): readonly Person[]
}
