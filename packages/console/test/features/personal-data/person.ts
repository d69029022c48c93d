import { createLocalJWKSet, type JWK } from 'jose'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  foldAny,
  storedPermitOf,
} from 'oidc-provider-impersonation-verify/format'
import { type Verification, verify } from '../../../../verify/src/verify/verification.ts'
import type { ErasureParts } from '../../../src/features/personal-data/server/erase.ts'
import { personalData } from '../../../src/features/personal-data/server/personal-data.ts'
import { recorder } from '../../../src/ledger/recording/recorder.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { ended, idOf, issued, started, used } from '../../ledger/stores/contract/support.ts'
import { chain, linesOfExport } from '../../verify/history.ts'
import { provider } from '../../verify/tampering.ts'

export { provider }

const { sign } = provider

/** An hour ago: what began then and was not ended is expired. */
export const AGO = Date.now() - 3_600_000

export interface Person extends ReturnType<typeof personalData> {
  readonly store: AuditStore
  record(...entries: readonly AuditEntry[]): Promise<unknown>
  close(): Promise<void>
}

/** A process: what it records, and what it does with the data of a person. */
export function processOn(
  store: AuditStore,
  parts: Partial<Omit<ErasureParts, 'record' | 'store'>> = {},
): Person {
  const { sign = provider.sign } = parts
  const recording = recorder(store, { sign })
  return {
    store,
    ...personalData(
      { ...recording, store },
      {
        ...{ sign, isKept: async () => false, hasAccount: async () => true },
        ...{ mayErase: async () => true, now: Date.now, ...parts },
      },
    ),
    record: (...entries) => Promise.all(entries.map(recording.record)),
    close: recording.close,
  }
}

/** An impersonation of a customer that ended. */
export function over(name: string, userId: string, time = AGO): AuditEntry[] {
  const more = { userId, names: { user: { name: 'Zoë Muster', email: 'zoe@example.com' } } }
  return [
    issued(name, time, more),
    started(name, time + 1, more),
    { ...used(name, time + 2), userId },
    ended(name, time + 3, more),
  ]
}

/** Stores decisions about a permit, each with a chain of its own. */
export function permit(
  store: AuditStore,
  name: string,
  ...entries: readonly Partial<AuditEntry>[]
): Promise<string> {
  return permitSignedBy(sign, store, name, ...entries)
}

/** The same, with chains that another provider signed. */
export async function permitSignedBy(
  sign: ErasureParts['sign'],
  store: AuditStore,
  name: string,
  ...entries: readonly Partial<AuditEntry>[]
): Promise<string> {
  let before: AnyPermit | undefined
  for (const entry of entries) {
    const about = { timeMs: AGO, by: 'olivia', permit: idOf(name) }
    const full = { ...about, ...entry } as AuditEntry
    const { next } = await chain(sign, Date.now())
    const record = foldAny(before, full)
    const replaces = before?.version ?? 0
    const stored = storedPermitOf(record, slotOf(record))
    const slotHolder = await store.slotHolder(stored.slot ?? '')
    const decision = { batch: next([full]), permit: stored, replaces, slotHolder }
    if (!(await store.decide(decision))) throw new Error('the permit is not stored')
    before = record
  }
  return idOf(name)
}

/** The first entry of a permit. */
export const requested = (userId: string, time = AGO): Partial<AuditEntry> => ({
  ...{ event: 'support.requested', timeMs: time, userId, scope: 'read', resource: 'urn:orders' },
  mayAct: { sub: 'olivia', clientId: 'shop' },
  terms: { needs: ['second_person'], for: 60, lapsesAt: time + 9000 },
})

export const approved = (time = AGO + 5): Partial<AuditEntry> => ({
  ...{ event: 'support.granted', timeMs: time, by: 'grace', need: 'second_person' },
})

/** The first entry of a pause by a customer, and the one that lifts it. */
export const paused = (userId: string, operator = 'olivia'): Partial<AuditEntry> => ({
  ...{ event: 'support.paused', userId, by: userId, mayAct: { sub: operator } },
})

export const resumed = (userId: string, operator = 'olivia'): Partial<AuditEntry> => ({
  ...{ event: 'support.resumed', userId, by: 'grace', note: 'Fine', mayAct: { sub: operator } },
})

export async function verified(store: AuditStore, only?: string): Promise<Verification> {
  return verifiedLines(await linesOfExport(store, sign, Date.now(), only))
}

/** @param others keys of further processes */
export function verifiedLines(
  lines: readonly string[],
  others: readonly JWK[] = [],
): Promise<Verification> {
  async function* read() {
    for (const line of lines) yield Buffer.from(`${line}\n`)
  }
  return verify({ read, keys: createLocalJWKSet({ keys: [provider.jwk, ...others] }) })
}

export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}
