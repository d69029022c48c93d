import type { StopRecord } from 'oidc-provider-impersonation-verify/format'

/**
 * An operator who may not start: as the customer who objected, or as any. All times are in milliseconds since
 * the epoch. What is not known is absent.
 */
export interface Pause extends Omit<StopRecord, 'deliveries' | 'lastAt' | 'version'> {}
