/** The audit, alarms and exports: for leads and auditors. */
export const audit = {} as const
