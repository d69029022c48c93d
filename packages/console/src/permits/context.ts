import type { Provider } from 'oidc-provider-impersonation'
import { limitTime, signCheckpoint } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  type NoticeKind,
  type PermitRecord,
  reasonOf,
  type StandingChoice,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../audit/log-line.ts'
import type { PermitStore } from '../audit/permit-store.ts'
import { type AddNames, naming } from '../audit/recording/names.ts'
import { isMalformedCursor } from '../audit/stores/cursor.ts'
import { type Decisions, decisions, unreadable } from './decisions.ts'
import { type CustomerEnding, endingOf } from './ends.ts'
import { invalid } from './inputs.ts'
import type { AttachOptions, PermitsOptions } from './options.ts'
import { type Permit, permitAt } from './permit.ts'
import { endUnder } from './revocations.ts'

/** What requests, decisions and standing answers stand on. */
export interface PermitsContext {
  readonly decide: Decisions
  readonly store: PermitStore
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
  markFor(kind: NoticeKind): Pick<AuditEntry, 'notify'>
  /** Tells `onPermit` of a change. */
  announce(record: PermitRecord): Permit
  /** What is to end by an answer of a customer that says no. */
  endingOf(customer: string, choice: StandingChoice, before: number): CustomerEnding
  /** Ends what runs under a permit that was revoked. What fails, is tried again later. */
  end(record: Parameters<typeof endUnder>[1]): Promise<void>
}

export interface ContextOptions extends Pick<PermitsOptions, 'onPermit'> {
  readonly store: PermitStore
  readonly now: () => number
  /** Milliseconds. */
  readonly timeoutMs: number
}

/** The context, and what `attach` gives it. */
export function permitsContext({ store, now, timeoutMs, onPermit }: ContextOptions) {
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
    decide: decisions(store, {
      timeoutMs,
      sign: (claims) => signCheckpoint(attached(), claims),
    }),
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
        throw isMalformedCursor(cause) ? invalid('before is malformed') : unreadable(cause)
      })
    },
    async findNames(entry) {
      const { names } = await addNames(entry)
      return names ? { names } : {}
    },
    markFor(kind) {
      return notify.includes(kind) ? { notify: { when: [kind], digest: 0 } } : {}
    },
    announce(record) {
      const permit = permitAt(record, now())
      const call = async () => onPermit?.(permit)
      call().catch((error: unknown) => log(`onPermit failed: ${reasonOf(error)}`))
      return permit
    },
    endingOf: (customer, choice, before) =>
      endingOf(customer, choice, { provider: attached(), store, now: now(), before }),
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
      if (provider && provider !== given) throw new TypeError('permits are attached already')
      provider = given
      addNames = naming(more.nameOf)
      issueAs = more.issueAs
      notify = more.notify ?? []
    },
  }
}
