import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'

/** The entry, with the mark that the deployment is to be told. @param kind `undefined` for what is not told */
export function tellDeployment(entry: AuditEntry, kind: string | undefined): AuditEntry {
  if (kind === undefined) return entry
  return { ...entry, toTell: [...(entry.toTell ?? []), { to: 'deployment', kind }] }
}
