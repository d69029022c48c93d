import { answerSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditRecord,
  isAnswer,
  isNeedMet,
  isPermit,
  type PermitRecord,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { readAll } from '../../../kernel/pages.ts'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { allReadable, readable } from '../../../ledger/readable.ts'
import type { PermitsContext } from './context.ts'
import { endForCustomer } from './ends.ts'
import { PermitError } from './errors.ts'
import { parseAccountId } from './inputs.ts'
import type { PermitsOptions, Standing, StandingAnswer, StandingChoice } from './options.ts'

/** The options of the switch, with their defaults. */
export interface StandingSettings {
  readonly initially: NonNullable<NonNullable<PermitsOptions['standing']>['initially']>
}

/** What holds for a customer. */
export interface StandingNow extends Standing {
  /** Of what runs by it; `undefined` where the customer said nothing. */
  readonly id: string | undefined
}

/** @param stored the newest answer of the customer. What cannot be read is no */
export function standingIn(
  stored: StoredRecord | undefined,
  initially: StandingSettings['initially'],
): StandingNow {
  const holder = readable(stored)
  if (stored && !holder) return { id: stored.id, choice: 'ask' }
  if (isAnswer(holder)) return { id: holder.id, choice: holder.state }
  return { id: undefined, choice: initially, ...(initially === 'rule' ? {} : { isInitial: true }) }
}

export function standingAnswers(
  { decide, store, now, attached, reading, ...context }: PermitsContext,
  standing: StandingSettings | undefined,
) {
  const { initially = 'rule' } = standing ?? {}
  const read = (customer: string) => reading(() => store.slotHolder(answerSlot(customer)))
  async function standingOf(customer: string): Promise<Standing> {
    const { id: _, ...shown } = standingIn(await read(customer), initially)
    return shown
  }
  const aboutOf = (customer: string) => ({ userId: customer, by: customer })

  async function write(customer: string, choice: StandingChoice): Promise<AuditRecord> {
    const isNo = choice === 'ask'
    const entry: Omit<AuditEntry, 'timeMs'> = {
      ...{ event: isNo ? 'support.closed' : 'support.opened', permit: newId() },
      ...aboutOf(customer),
    }
    const names = await context.findNames({ ...entry, timeMs: now() })
    const mark = isNo ? {} : context.markFor('opened')
    return decide.open(answerSlot(customer), (holder) => {
      // Later than the answer before it, also in one millisecond: by this a no knows what to revoke.
      const time = Math.max(now(), (holder?.lastAt ?? 0) + 1)
      return { ...entry, timeMs: time, ...names, ...mark }
    })
  }

  /** What the customer allowed before, and is not over: also what a second person has still to decide on. */
  async function allowed(customer: string): Promise<PermitRecord[]> {
    const found: PermitRecord[] = []
    for (const state of ['granted', 'requested'] as const) {
      const filter = { customer, state, notOverAt: now() } as const
      const permits = await readAll(
        (before) => reading(() => store.permits(filter, { before, limit: PERMITS_PER_READ })),
        (page) => allReadable(page.permits).filter(isPermit).filter(isByCustomer),
      )
      found.push(...permits)
    }
    return found
  }

  async function revoke(customer: string, permit: PermitRecord): Promise<void> {
    const about = {
      ...{ permit: permit.id, ...aboutOf(customer) },
      mayAct: { sub: permit.operator.id, clientId: permit.application },
    }
    const names = await context.findNames({ event: 'support.revoked', timeMs: now(), ...about })
    await decide
      .decide(permit.id, (stored) => {
        // Another process was first: what it decided stays.
        if (stored?.state !== 'granted' && stored?.state !== 'requested') throw new AlreadyOver()
        return {
          event: 'support.revoked',
          timeMs: Math.max(now(), stored.lastAt),
          ...about,
          ...names,
        }
      })
      .catch((error: unknown) => {
        if (error instanceof AlreadyOver) return undefined
        throw error
      })
  }

  /** Approved before (I15): stored first, so that nothing starts any more. A second No ends what is still alive. */
  async function close(customer: string): Promise<Standing> {
    const holder = await read(customer)
    const before = readable(holder)
    if (before?.state !== 'ask') await write(customer, 'ask')
    for (const permit of await allowed(customer)) await revoke(customer, permit)
    const ending = context.endingOf(customer, now())
    await endForCustomer(ending, context.timeoutMs).catch((cause: unknown) => {
      throw new PermitError(
        'temporarily_unavailable',
        'your answer is stored; what runs cannot be ended now: it is tried again, and you can say it again',
        { cause },
      )
    })
    return standingOf(customer)
  }

  return {
    get: standingOf,
    async find(id: string): Promise<StandingAnswer | undefined> {
      const found = readable(await reading(() => store.permit(id)))
      if (!isAnswer(found)) return undefined
      const { customer, state: choice, requestedAt } = found
      return { id, customer, choice, requestedAt }
    },
    /** Stores the choice, and ends what would not start any more. */
    async choose(given: string, choice: StandingChoice): Promise<Standing> {
      attached()
      const customer = parseAccountId(given, 'customer')
      if (!standing) throw new PermitError('not_found', 'customers are asked each time')
      if (choice === 'ask') return close(customer)
      await write(customer, choice)
      return standingOf(customer)
    },
  }
}

class AlreadyOver extends Error {}

function isByCustomer(permit: PermitRecord): boolean {
  return permit.kind === 'approval' && isNeedMet(permit, 'user')
}
