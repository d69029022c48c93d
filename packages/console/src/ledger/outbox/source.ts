import type {
  AllDeliveries,
  Audience,
  AuditRecord,
  AuditRow,
} from 'oidc-provider-impersonation-verify/format'
import { allReadable } from '../readable.ts'
import type { AuditStore } from '../store.ts'

/** An impersonation or a permit, as it was read. */
export interface Subject {
  readonly id: string
  readonly customer?: { readonly id: string } | undefined
  readonly deliveries?: AllDeliveries | undefined
}

/** The news of a subject. */
export type Telling = {
  readonly kind: string
  /** Number of times that it had happened by now. */
  readonly count: number
} & (
  | {
      readonly is: 'told'
      /**
       * @param id the same each time that it is told
       * @throws Error where it could not be told now
       */
      tell(id: string, signal: AbortSignal): unknown
    }
  /** It is told with another one; or it cannot be told any more. */
  | { readonly is: 'dropped' | 'joined' }
)

/** A list of the subjects that are due. */
export interface OutboxSource<S extends Subject> {
  /** The member of an entry that names the subject. */
  readonly about: 'id' | 'permit'
  /** Finds the subjects that are due, and not under way in another process. The oldest comes first. */
  findDue(now: number, limit: number): Promise<readonly S[]>
  /** @returns `undefined` where there is nothing to tell now */
  choose(subject: S, now: number): Promise<Telling | undefined>
}

/** A source of impersonations. */
export function rowSource(
  store: AuditStore,
  to: Audience,
  choose: OutboxSource<AuditRow>['choose'],
): OutboxSource<AuditRow> {
  return {
    about: 'id',
    choose,
    async findDue(now, limit) {
      const filter = { due: { to, before: now } }
      return (await store.find(filter, { limit, now, oldestFirst: true })).rows
    },
  }
}

/** A source of permits. */
export function permitSource(
  store: AuditStore,
  to: Audience,
  choose: OutboxSource<AuditRecord>['choose'],
): OutboxSource<AuditRecord> {
  return {
    about: 'permit',
    choose,
    async findDue(now, limit) {
      const filter = { due: { to, before: now } }
      return allReadable((await store.permits(filter, { limit, oldestFirst: true })).permits)
    },
  }
}
