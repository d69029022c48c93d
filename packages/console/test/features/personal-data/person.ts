import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { ErasureParts } from '../../../src/features/personal-data/server/erase.ts'
import { personalData } from '../../../src/features/personal-data/server/personal-data.ts'
import { auditLog } from '../../../src/ledger/recording/log.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { openedStore } from '../../../src/ledger/stores/opened-store.ts'
import { decisions } from '../../../src/records/decide.ts'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import { ended, idOf, issued, MARKS, started, used } from '../../ledger/stores/contract/support.ts'
import { collectLog } from '../../support/quiet.ts'
import { linesOfExport, verified as verifiedLines } from '../../verify/history.ts'

/** An hour ago: what began then and was not ended is expired. */
export const AGO = Date.now() - 3_600_000

export type Person = ReturnType<typeof processOn>

/** A process: what it records, and what it does with the data of a person. */
export function processOn(
  store: AuditStore,
  parts: Partial<Omit<ErasureParts, 'record' | 'store'>> = {},
) {
  const recording = recorderOn(store)
  return {
    store,
    ...personalData(
      { ...recording, store },
      {
        isKept: async () => false,
        hasAccount: async () => true,
        mayErase: async () => true,
        now: Date.now,
        ...parts,
        decide: decisions({ store, log: auditLog(store, MARKS), marks: MARKS }, 5000),
      },
    ),
    record: (...entries: readonly AuditEntry[]) => Promise.all(entries.map(recording.record)),
    close: recording.close,
  }
}

/** Keeps what the processes of a `describe` log out of the output of the tests. */
export function silence() {
  let stop = () => {}
  before(() => {
    stop = collectLog([])
  })
  after(() => stop())
}

/** Records entries as a process that has ended. */
export async function recordPast(audit: AuditStore, ...entries: readonly AuditEntry[]) {
  const past = processOn(openedStore(audit))
  await past.record(...entries)
  await past.close()
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

/** Stores decisions about a permit, also more of them. */
export async function permit(
  store: AuditStore,
  name: string,
  ...entries: readonly Partial<AuditEntry>[]
) {
  const log = auditLog(store, MARKS)
  for (const entry of entries) {
    const about = { timeMs: AGO, by: 'olivia', permit: idOf(name) }
    const stored = await store.permit(idOf(name))
    const full = { ...about, ...entry } as AuditEntry
    const isStored = await log.decide(full, stored, [], () => 5000)
    if (!isStored) throw new Error('the permit is not stored')
  }
  return idOf(name)
}

/** The first entry of a permit. */
export const requested = (userId: string, time = AGO): Partial<AuditEntry> => ({
  event: 'support.requested',
  timeMs: time,
  userId,
  scope: 'read',
  resource: 'urn:orders',
  mayAct: { sub: 'olivia', clientId: 'shop' },
  terms: { needs: ['second_person'], for: 60, lapsesAt: time + 9000 },
})

export const approved = (time = AGO + 5): Partial<AuditEntry> => ({
  event: 'support.granted',
  timeMs: time,
  by: 'grace',
  need: 'second_person',
})

/** The first entry of a pause by a customer, and the one that lifts it. */
export const paused = (userId: string, operator = 'olivia'): Partial<AuditEntry> => ({
  event: 'support.stopped',
  userId,
  by: userId,
  mayAct: { sub: operator },
})

export const resumed = (userId: string, operator = 'olivia'): Partial<AuditEntry> => ({
  event: 'support.lifted',
  userId,
  by: 'grace',
  note: 'Fine',
  mayAct: { sub: operator },
})

export const verified = async (store: AuditStore) =>
  verifiedLines(await linesOfExport(store, { now: Date.now() }))

export async function expectErased(
  { erase }: Pick<Person, 'erase'>,
  customer: string,
  impersonations: number,
  permits = 0,
) {
  expect(await erase(customer)).to.deep.equal({ impersonations, permits })
}

/** The audit verifies, has so many rows, and their entries prove each of them. */
export async function expectRows(store: AuditStore, rows: number, more: object = {}) {
  expect(await verified(store)).to.deep.include({ rows, unprovedRows: 0, ...more })
}
