import type { Provider } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  type NoticeKind,
  type PermitRecord,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../../kernel/log-line.ts'
import type { Ledger } from '../../../ledger/recording/ledger.ts'
import { type AddNames, naming } from '../../../ledger/recording/names.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { isMalformedCursor } from '../../../ledger/stores/cursor.ts'
import { type Decisions, decisions, permitsUnreadable } from './decisions.ts'
import type { CustomerEnding } from './ends.ts'
import { invalidInput } from './inputs.ts'
import type { AttachOptions } from './options.ts'
import { type Permit, permitAt } from './permit.ts'
import { endUnder } from './revocations.ts'

/** What requests, decisions and standing answers stand on. */
export interface PermitsContext {
  readonly decide: Decisions
  readonly store: AuditStore
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number
  /** @throws Error before `attach` */
  attached(): Provider
  /** @throws Error where `attach` was not told */
  issueAs(): string
  /** How long the storage, and the rule, may take, in milliseconds. */
  readonly timeoutMs: number
  /** @throws PermitError where the storage fails, or does not answer in time */
  reading<T>(ask: () => Promise<T>): Promise<T>
  /** The names of the people in an entry. */
  findNames(entry: AuditEntry): Promise<Pick<AuditEntry, 'names'>>
  /** Marks the first entry of a permit, where the customer is to be told of it. */
  markFor(kind: NoticeKind): Pick<AuditEntry, 'toTell'>
  /** The permit as it is now. */
  shown(record: PermitRecord): Permit
  /** What is to end by an answer of a customer that says no. */
  endingOf(customer: string, before: number): CustomerEnding
  /** Ends what runs under a permit that was revoked. What fails, is tried again later. */
  end(record: Parameters<typeof endUnder>[1]): Promise<void>
}

export interface ContextOptions {
  readonly ledger: Ledger
  readonly now: () => number
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Whether the deployment is to be told of changes. */
  readonly alerts?: boolean | undefined
}

/** The context, and what `attach` gives it. */
export function permitsContext({ ledger, now, timeoutMs, alerts }: ContextOptions) {
  const { store } = ledger
  let provider: Provider | undefined
  let issueAs: string | undefined
  let notify: readonly NoticeKind[] = []
  let addNames: AddNames = async (entry) => entry

  function attached(): Provider {
    if (!provider)
      throw new Error(
        'the permits are not attached: give them to supportConsole(provider, { permits }), or call permits.attach(provider)',
      )
    return provider
  }

  const context: PermitsContext = {
    decide: decisions(ledger, { timeoutMs, alerts }),
    ...{ store, now, attached, timeoutMs },
    issueAs() {
      if (issueAs !== undefined) return issueAs
      throw new Error(
        'a request for a permit asks the rule: give permits.attach(provider, { issueAs }) the id of a client that managementApi.clients.issue names',
      )
    },
    async reading(ask) {
      const late = () => new Error('it does not answer')
      return limitTime(timeoutMs, ask(), late).catch((cause) => {
        throw isMalformedCursor(cause)
          ? invalidInput('before is malformed')
          : permitsUnreadable(cause)
      })
    },
    async findNames(entry) {
      const { names } = await addNames(entry)
      return names ? { names } : {}
    },
    markFor(kind) {
      return notify.includes(kind) ? { toTell: [{ to: 'customer', kind }] } : {}
    },
    shown: (record) => permitAt(record, now()),
    endingOf: (customer, before) => ({ customer, provider: attached(), store, now: now(), before }),
    async end(record) {
      await endUnder(attached(), record).catch((error: unknown) =>
        log(`what a revoked permit allowed is not ended yet: ${reasonOf(error)}`),
      )
    },
  }
  return {
    context,
    isAttached: () => provider !== undefined,
    /** @throws TypeError where another provider is attached */
    attach(given: Provider, more: AttachOptions): void {
      if (given?.impersonation?.canEnd !== true) {
        throw new TypeError(
          'permits.attach(provider) needs a Provider of oidc-provider-impersonation whose impersonations can be ended',
        )
      }
      if (provider && provider !== given) {
        throw new TypeError(
          'permits are attached already, to another provider: call createPermits() once for each provider',
        )
      }
      ledger.marks.attach(given)
      provider = given
      addNames = naming(more.nameOf)
      issueAs = more.issueAs
      notify = more.notify ?? []
    },
  }
}
