export const ENTRY_TABLE = 'impersonation_audit_entry'
export const ROW_TABLE = 'impersonation_audit_impersonation'
export const PERMIT_TABLE = 'impersonation_audit_record'
export const SEAL_TABLE = 'impersonation_audit_seal'
/** The number of the last migration. */
export const SCHEMA_TABLE = 'impersonation_audit_schema'
