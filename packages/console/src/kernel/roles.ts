/**
 * The rights of a person in the console. An operator acts as customers, and sees what they did. A lead
 * may do that, too, and sees and ends all. An auditor sees all, and cannot act.
 */
export type Role = 'operator' | 'lead' | 'auditor'

export const ALL_ROLES = ['operator', 'lead', 'auditor'] as const satisfies readonly Role[]

/** The roles that may act as customers. */
export const ACTING_ROLES: readonly Role[] = ['operator', 'lead']

/** The roles that look at what others did. */
export const SUPERVISING_ROLES: readonly Role[] = ['lead', 'auditor']

/** Checks whether all of the audit is shown to this role. */
export const isAudited = (role: Role): boolean => role !== 'operator'
