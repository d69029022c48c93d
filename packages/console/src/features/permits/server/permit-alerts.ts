import { hash } from 'node:crypto'
import {
  type AuditEntry,
  type AuditRecord,
  isNextAttempt,
  type PermitChange,
  type PermitRecord,
  pendingChangeOf,
} from 'oidc-provider-impersonation-verify/format'
import {
  type BegunAttempt,
  nextAlert,
  type OutboxSource,
  triedAlert,
} from '../../../ledger/outbox/source.ts'
import { allReadable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Decisions } from '../../../records/decide.ts'
import { approvalIn, type Permit, permitAt } from '../../../records/record-at.ts'

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

export interface PermitAlertsOptions {
  readonly store: Pick<AuditStore, 'permits'>
  readonly decide: Pick<Decisions, 'decide'>
  readonly onPermit: OnPermit
  urlOf(permit: string): string | undefined
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/** Another process began the attempt. */
class AlertTaken extends Error {
  override readonly name = 'AlertTaken'
}

/** Of permits with a change that the deployment has not been told. */
export function permitAlerts({
  store,
  decide,
  onPermit,
  urlOf,
  now,
}: PermitAlertsOptions): OutboxSource {
  async function begin(found: PermitRecord, timeMs: number): Promise<BegunAttempt | undefined> {
    const pending = pendingChangeOf(found)
    if (!pending) return undefined
    const { id } = found
    const alert = nextAlert(found.alert?.last, pending)
    const about = { permit: id, userId: found.customer.id }
    const begun: AuditEntry = { event: 'support.alerting', timeMs, ...about, alert }
    const entryOf = (stored: AuditRecord | undefined) => {
      if (!isNextAttempt(approvalIn(stored)?.alert, alert)) throw new AlertTaken()
      return begun
    }
    const stored = await decide.decide(id, entryOf).catch((error: unknown) => {
      if (error instanceof AlertTaken) return undefined
      throw error
    })
    const record = approvalIn(stored)
    if (!record) return undefined
    const { kind, count } = pending
    const told: PermitAlert = {
      id: hash('sha256', JSON.stringify(['permit', id, kind, count]), 'base64url'),
      ...{ kind, timeMs: record.alert?.due[kind]?.at ?? timeMs },
      ...{ url: urlOf(id), permit: permitAt(record, now()) },
    }
    return {
      tell: async (signal) => onPermit(told, { signal }),
      async finish(isTold, time) {
        const entry = { timeMs: time, ...about, ...triedAlert(alert, isTold) }
        await decide.decide(id, () => entry)
      },
    }
  }

  return {
    async findDue(time, limit) {
      const filter = { alertDueBefore: time }
      const { permits } = await store.permits(filter, { limit, oldestFirst: true })
      return allReadable(permits).flatMap((each) => {
        const record = approvalIn(each)
        return record ? { id: record.id, begin: (at: number) => begin(record, at) } : []
      })
    },
  }
}
