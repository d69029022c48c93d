import { text } from 'node:stream/consumers'
import { createLocalJWKSet } from 'jose'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { Broken } from '../../../verify/src/verify/broken.ts'
import { type VerificationInput, verify } from '../../../verify/src/verify/verification.ts'
import { exportEverything } from '../../src/ledger/keeping/export-everything.ts'
import { proveOne } from '../../src/ledger/keeping/prove-one.ts'
import type { SealsOptions, Sign } from '../../src/ledger/sealing/seals.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { KEYS, sealsOf } from '../ledger/sealing/seals-of.ts'
import {
  act,
  exported,
  idOf,
  issued,
  put,
  removeOld,
  replayed,
  started,
  T,
  used,
} from '../ledger/stores/contract/support.ts'

export const DAY = 86_400_000
/** The time for which rows are kept, in seconds: 30 days. */
export const KEEP_FOR = 2_592_000
/** Day 50 of the audit. */
export const END = T + 50 * DAY

/** A request for an approval, or a pause. */
export function asked(name: string, timeMs: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ event: 'support.requested', timeMs, permit: idOf(name), userId: 'alice', by: 'olivia' },
    ...{ mayAct: { sub: 'olivia', clientId: 'shop' }, resource: 'https://api', scope: 'orders' },
    terms: { needs: ['second_person'], for: 3600, lapsesAt: timeMs + DAY },
    ...more,
  }
}

export const decided = (
  event: 'declined' | 'granted' | 'reviewed',
  name: string,
  timeMs: number,
): AuditEntry => ({
  ...{ event: `support.${event}`, timeMs, permit: idOf(name), by: 'grace' },
  ...(event !== 'reviewed' && { need: 'second_person' }),
})

/** Entries of impersonations, by two processes. */
async function days(store: AuditStore, names: readonly string[], first: number) {
  for (const [index, name] of names.entries()) {
    const time = first + index * 1000
    await put(store, issued(name, time), started(name, time + 1), used(name, time + 2))
    await put(store, replayed(name, time + 3), exported(time + 5), used(name, time + 6))
  }
}

/** An audit of 50 days: what is old enough is removed, but for a row on hold. It is sealed on day 1, 40 and 49. */
export async function history(store: AuditStore, sign?: Sign) {
  const seal = async (now: number) => {
    await sealsOf(store, { now: () => now, ...(sign && { sign }) }).seal()
    await removeOld(store, now - KEEP_FOR * 1000, 99)
  }
  await days(store, ['a', 'held', 'b', 'c'], T)
  await put(store, act('held', 'held', T + 2000, { note: 'a case' }), asked('old', T))
  await put(store, decided('granted', 'old', T + 5))
  await seal(T + DAY)
  await days(store, ['d', 'e', 'f'], T + 40 * DAY - 1_000_000)
  await put(store, asked('emergency', T + 40 * DAY, { event: 'support.emergency' }))
  await seal(T + 40 * DAY)
  await days(store, ['g'], T + 49 * DAY)
  await put(store, asked('open', T + 49 * DAY), decided('granted', 'open', T + 49 * DAY + 5))
  await seal(T + 49 * DAY + 1000)
}

const linesIn = async (parts: AsyncIterable<string>) => (await text(parts)).split('\n').slice(0, -1)

/** @param sign where another provider than that of the tests signs */
export async function linesOfExport(
  store: AuditStore,
  { now = END, ...options }: { now?: number } & Omit<Partial<SealsOptions>, 'now'> = {},
) {
  const seals = sealsOf(store, { ...options, now: () => now })
  return linesIn(exportEverything(store, seals))
}

export async function linesOfProof(
  store: AuditStore,
  id: string,
  { now = END, sign }: { now?: number; sign?: Sign | undefined } = {},
) {
  const seals = sealsOf(store, { now: () => now, ...(sign && { sign }) })
  return linesIn(proveOne(store, seals, id))
}

type Options = Partial<Omit<VerificationInput, 'read'>>

export function verified(lines: readonly string[], options: Options = {}) {
  const keys = createLocalJWKSet(KEYS)
  async function* read() {
    for (const line of lines) yield Buffer.from(`${line}\n`)
  }
  return verify({ read, keys, ...options })
}

/** Verifies something broken. @returns what is said of it */
export async function broken(lines: readonly string[], options: Options = {}) {
  const error = await verified(lines, options).catch((thrown: unknown) => thrown)
  if (error instanceof Broken) return error
  throw new Error(`nothing was found to be broken: ${JSON.stringify(error)}`)
}
