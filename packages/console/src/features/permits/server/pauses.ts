import { stopSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditRecord,
  isStop,
  parseRecord,
  present,
  type StopRecord,
  type StoredRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { allReadable, readable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import type { Pause } from '../../../web/pause-answers.ts'
import type { PermitsContext } from './context.ts'
import { PermitError } from './errors.ts'
import { parseAccountId, parseNote } from './inputs.ts'
import type { PauseFilter, PausePage, Resuming } from './options.ts'
import { pauseOf } from './permit.ts'

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

/** A lead keeps an operator from starting, as any customer. */
export interface Hold {
  /** Account ids. */
  readonly operator: string
  readonly by: string
  readonly note: string | undefined
}

/** Operators who may not start. */
export interface Pauses {
  /** What keeps an operator from starting as a customer now. */
  find(operator: string, customer: string): Promise<Pause | undefined>
  /** Pauses the operator for the customer, unless that is so already, or was lifted after the objection. */
  object(objection: Objection): Promise<Begun>
  /** Pauses the operator for every customer. One that holds stays as it is. */
  hold(hold: Hold): Promise<Begun>
  get(id: string): Promise<Pause | undefined>
  /** Those that hold, newest first, at most 100. */
  list(filter?: PauseFilter): Promise<PausePage>
  resume(id: string, saying: Resuming): Promise<Pause>
}

interface Begun {
  /** The pause that holds; `undefined` where a person has lifted it already. */
  readonly pause?: Pause
  readonly isNew: boolean
}

const PAUSES_PER_READ = 100

const noSuchPause = () => new PermitError('not_found', 'there is no such pause')

/** The slots of the pauses that keep an operator from starting: as this customer, and as any. */
export const pauseSlots = (operator: string, customer: string) => [
  stopSlot(operator, customer),
  stopSlot(operator, undefined),
]

/** @throws Error for one that cannot be read: it may hold */
export function pauseAmong(newest: readonly StoredRecord[]): StopRecord | undefined {
  return newest
    .map((each) => pauseIn(parseRecord(each)))
    .find((pause) => pause?.state === 'stopped')
}

export async function findPause(
  store: Pick<AuditStore, 'permitsInForce'>,
  { operator, customer }: { readonly operator: string; readonly customer: string },
): Promise<StopRecord | undefined> {
  return pauseAmong(await store.permitsInForce({ slots: pauseSlots(operator, customer) }))
}

/** @param assertMay throws a PermitError for a person who may not lift it */
export function pausesOf(
  { decide, store, now, reading, findNames, attached }: PermitsContext,
  assertMay: (pause: Pause, by: string) => Promise<void>,
): Pauses {
  const shown = (record: StopRecord | undefined) => record && pauseOf(record)

  async function get(id: string): Promise<Pause | undefined> {
    const stored = await reading(() => store.permit(id))
    return shown(pauseIn(readable(stored)))
  }

  /** @param isLifted whether a person said already that it is over */
  async function begin(
    operator: string,
    about: Omit<AuditEntry, 'event' | 'timeMs'>,
    isLifted: (holder: StopRecord) => boolean = () => false,
  ): Promise<Begun> {
    attached()
    const entry: AuditEntry = {
      ...{ event: 'support.stopped', timeMs: now(), permit: newId(), mayAct: { sub: operator } },
      ...about,
    }
    const names = await findNames(entry)
    try {
      const record = await decide.open(stopSlot(operator, about.userId), (stored) => {
        const holder = pauseIn(stored)
        if (holder?.state === 'stopped') throw new Held(holder)
        if (holder && isLifted(holder)) throw new Held(undefined)
        return { ...entry, timeMs: Math.max(now(), holder?.lastAt ?? 0), ...names }
      })
      return { ...present({ pause: shown(pauseIn(record)) }), isNew: true }
    } catch (error) {
      if (error instanceof Held) return { ...present({ pause: shown(error.by) }), isNew: false }
      throw error
    }
  }

  return {
    get,
    async find(operator, customer) {
      const found = await reading(() => findPause(store, { operator, customer }))
      return shown(found)
    },
    object: ({ customer, operator, impersonation, at, note }) =>
      begin(
        operator,
        {
          ...{ userId: customer, by: customer, context: { impersonation } },
          ...present({ note }),
        },
        (holder) => (saidIn(holder, 'lifted')?.at ?? 0) >= at,
      ),
    hold: ({ operator, by, note }) => begin(operator, { by, ...present({ note }) }),
    async list({ before, ...filter } = {}) {
      const held = { ...filter, state: 'stopped', notOverAt: now() } as const
      const page = { before, limit: PAUSES_PER_READ }
      const { permits, next } = await reading(() => store.permits(held, page))
      // One bad entry stops nothing (I17): one that cannot be read is left out here. It holds, and keeps from
      // starting.
      const pauses = allReadable(permits).flatMap((each) => shown(pauseIn(each)) ?? [])
      return { pauses, ...present({ next }) }
    },
    async resume(id, { by, note }) {
      attached()
      const before = (await get(id)) ?? raise(noSuchPause())
      if (by !== undefined) await assertMay(before, parseAccountId(by, 'by'))
      const about: Omit<AuditEntry, 'timeMs'> = {
        ...{ event: 'support.lifted', permit: id, mayAct: { sub: before.operator.id } },
        ...{ note: parseNote(note) },
        ...present({ userId: before.customer?.id, by }),
      }
      const names = await findNames({ ...about, timeMs: now() })
      const record = await decide.decide(id, (stored) => {
        const pause = pauseIn(stored) ?? raise(noSuchPause())
        if (pause.state !== 'stopped') throw new PermitError('decided', 'it is lifted already')
        return { ...about, timeMs: Math.max(now(), pause.lastAt), ...names }
      })
      return shown(pauseIn(record)) ?? raise(noSuchPause())
    },
  }
}

/** What a request is refused with. */
export function pausedError({ customer }: Pick<StopRecord, 'customer'>): PermitError {
  return new PermitError(
    'paused',
    customer
      ? 'the customer objected to what the operator did: the operator may not act as them until another person lifts the pause'
      : 'a lead paused the operator',
  )
}

/** It is paused already, or was lifted since. */
class Held extends Error {
  readonly by: StopRecord | undefined

  constructor(by: StopRecord | undefined) {
    super('there is a pause already')
    this.by = by
  }
}

function pauseIn(record: AuditRecord | undefined): StopRecord | undefined {
  return isStop(record) ? record : undefined
}

function raise(error: Error): never {
  throw error
}
