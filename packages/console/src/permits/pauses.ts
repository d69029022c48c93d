import { randomBytes } from 'node:crypto'
import { pauseSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  isPausedAt,
  MAX_NOTE_LENGTH,
  type PauseRecord,
  parseAny,
  present,
} from 'oidc-provider-impersonation-verify/format'
import type { PermitStore } from '../audit/permit-store.ts'
import { allReadable } from '../audit/readable.ts'
import type { PermitsContext } from './context.ts'
import { PermitError } from './errors.ts'
import { MAX_ID_LENGTH, parseText } from './inputs.ts'
import type { Resuming } from './options.ts'
import { type Pause, pauseAt } from './permit.ts'

/** A customer says of an impersonation: I did not ask for this. */
export interface Objection {
  /** Account ids. */
  readonly customer: string
  readonly operator: string
  readonly impersonation: string
  /** When the customer said it first, in milliseconds since the epoch. */
  readonly at: number
  readonly note?: string | undefined
}

export interface PauseFilter {
  readonly customer?: string | undefined
  readonly operator?: string | undefined
  readonly before?: string | undefined
}

/** Operators who may not start. */
export interface Pauses {
  /** What keeps an operator from starting as a customer now. */
  find(operator: string, customer: string): Promise<Pause | undefined>
  /**
   * Pauses the operator for the customer, where that is not so already.
   *
   * @returns the pause that holds; `undefined` where a person has lifted it after the objection
   */
  object(objection: Objection): Promise<{ readonly pause?: Pause; readonly isNew: boolean }>
  get(id: string): Promise<Pause | undefined>
  /** Those that hold, newest first, at most 100. */
  list(filter?: PauseFilter): Promise<{ readonly pauses: readonly Pause[]; readonly next?: string }>
  resume(id: string, saying: Resuming): Promise<Pause>
}

const PAUSES_PER_READ = 100

const notFound = () => new PermitError('not_found', 'there is no such pause')

/** The newest of two slots: of the operator as this customer, and as any. */
export async function findPause(
  store: Pick<PermitStore, 'slotHolder'>,
  { operator, customer }: { readonly operator: string; readonly customer: string },
  now: number,
): Promise<PauseRecord | undefined> {
  const slots = [pauseSlot(operator, customer), pauseSlot(operator, undefined)]
  const holders = await Promise.all(slots.map((slot) => store.slotHolder(slot)))
  const pauses = holders.map((holder) => pauseIn(holder && parseAny(holder)))
  return pauses.find((pause) => pause && isPausedAt(pause, now))
}

/** @param assertMay throws a PermitError for a person who may not lift it */
export function pausesOf(
  { decide, store, now, reading, findNames, attached }: PermitsContext,
  assertMay: (pause: Pause, by: string) => Promise<void>,
): Pauses {
  const shown = (record: PauseRecord | undefined) => record && pauseAt(record, now())

  async function get(id: string): Promise<Pause | undefined> {
    const stored = await reading(() => store.permit(id))
    return shown(pauseIn(stored && parseAny(stored)))
  }

  return {
    get,
    async find(operator, customer) {
      const found = await reading(() => findPause(store, { operator, customer }, now()))
      return shown(found)
    },
    async object({ customer, operator, impersonation, at, note }) {
      attached()
      const entry: AuditEntry = {
        ...{ event: 'support.paused', time: now(), permit: newId() },
        ...{ subject: customer, by: customer, mayAct: { sub: operator } },
        ...{ context: { impersonation }, ...present({ note }) },
      }
      const names = await findNames(entry)
      try {
        const record = await decide.open(pauseSlot(operator, customer), (stored) => {
          const holder = pauseIn(stored)
          if (holder && isPausedAt(holder, now())) throw new Held(holder)
          if (holder?.resumed && holder.resumed.at >= at) throw new Held(undefined)
          return { ...entry, time: Math.max(now(), holder?.lastAt ?? 0), ...names }
        })
        return { ...present({ pause: shown(pauseIn(record)) }), isNew: true }
      } catch (error) {
        if (error instanceof Held) return { ...present({ pause: shown(error.by) }), isNew: false }
        throw error
      }
    },
    async list({ before, ...filter } = {}) {
      const held = { ...filter, state: 'paused', notOverAt: now() } as const
      const page = { before, limit: PAUSES_PER_READ }
      const { permits, next } = await reading(() => store.permits(held, page))
      // One bad entry stops nothing (I17): one that cannot be read is left out here. It holds, and keeps from
      // starting.
      const pauses = allReadable(permits).flatMap((each) => shown(pauseIn(each)) ?? [])
      return { pauses, ...present({ next }) }
    },
    async resume(id, { by, note }) {
      attached()
      const before = (await get(id)) ?? raise(notFound())
      if (by !== undefined) await assertMay(before, parseText('by', by, MAX_ID_LENGTH))
      const about: Omit<AuditEntry, 'time'> = {
        ...{ event: 'support.resumed', permit: id, mayAct: { sub: before.operator.id } },
        ...{ note: parseText('note', note, MAX_NOTE_LENGTH) },
        ...present({ subject: before.customer?.id, by }),
      }
      const names = await findNames({ ...about, time: now() })
      const record = await decide.decide(id, (stored) => {
        const pause = pauseIn(stored) ?? raise(notFound())
        if (pause.state !== 'paused') throw new PermitError('decided', 'it is lifted already')
        return { ...about, time: Math.max(now(), pause.lastAt), ...names }
      })
      return shown(pauseIn(record)) ?? raise(notFound())
    },
  }
}

/** What a request is refused with. */
export function pausedError({ customer }: Pick<PauseRecord, 'customer'>): PermitError {
  return new PermitError(
    'paused',
    customer
      ? 'the customer objected to what the operator did: the operator may not act as them until another person lifts the pause'
      : 'a lead paused the operator',
  )
}

/** It is paused already, or was lifted since. */
class Held extends Error {
  readonly by: PauseRecord | undefined

  constructor(by: PauseRecord | undefined) {
    super('there is a pause already')
    this.by = by
  }
}

function pauseIn(record: AnyPermit | undefined): PauseRecord | undefined {
  return record?.kind === 'pause' ? record : undefined
}

function raise(error: Error): never {
  throw error
}

const newId = () => randomBytes(32).toString('base64url')
