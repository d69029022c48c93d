/**
 * What a person may do in the console. An operator acts as customers, and sees what they did. A lead
 * may do that, too, and sees and ends all. An auditor sees all, and cannot act.
 */
export type Role = 'operator' | 'lead' | 'auditor'

export const ALL_ROLES = ['operator', 'lead', 'auditor'] as const satisfies readonly Role[]

/** Who may act as customers. */
export const ACTING_ROLES: readonly Role[] = ['operator', 'lead']

/** Who looks at what others did. */
export const SUPERVISING_ROLES: readonly Role[] = ['lead', 'auditor']

/** Whether all of the audit is shown to this role. */
export const isAudited = (role: Role): boolean => role !== 'operator'
