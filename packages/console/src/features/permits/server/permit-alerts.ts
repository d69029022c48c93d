import {
  isPermit,
  type PermitChange,
  pendingChangeOf,
} from 'oidc-provider-impersonation-verify/format'
import { permitSource } from '../../../ledger/outbox/source.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { type Permit, recordAt } from '../../../records/record-at.ts'

/** A change of a permit, as it is handed to the deployment. */
export interface PermitAlert {
  /** The same each time that it is handed over: 43 of the characters A-Z, a-z, 0-9, - and _. */
  readonly id: string
  readonly kind: PermitChange
  /** When it happened, in milliseconds since the epoch. */
  readonly timeMs: number
  /** The page of the console that shows it. Absent where there is no console. */
  readonly url?: string | undefined
  /** The permit as it is now: what happened after the change is in it. */
  readonly permit: Permit
}

export type OnPermit = (alert: PermitAlert, options: { readonly signal: AbortSignal }) => unknown

/** Of permits with a change that the deployment has not been told. */
export function changesToTell(
  store: AuditStore,
  onPermit: OnPermit,
  urlOf: (permit: string) => string | undefined,
) {
  return permitSource(store, 'deployment', async (found, now) => {
    const pending = pendingChangeOf(found)
    if (!pending || !isPermit(found)) return undefined
    const { kind, count } = pending
    const timeMs = found.deliveries?.deployment?.due[kind]?.at ?? found.lastAt
    const about = { kind, timeMs, url: urlOf(found.id), permit: recordAt(found, now) }
    return {
      kind,
      count,
      is: 'told',
      tell: (id, signal) => onPermit({ id, ...about }, { signal }),
    }
  })
}
