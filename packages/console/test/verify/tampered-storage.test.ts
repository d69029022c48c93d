import { expect } from 'chai'
import { digestOf, entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import { renewed } from '../../../../test/support/shared.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { sealsOf, signer } from '../ledger/sealing/seals-of.ts'
import {
  act,
  batchOf,
  exported,
  idOf,
  MARKS,
  put,
  removeOld,
  used,
  writeNow,
} from '../ledger/stores/contract/support.ts'
import { quietly } from '../support/quietly.ts'
import { broken, DAY, decided, END, history, KEEP_FOR, linesOfExport, verified } from './history.ts'
import { type Storage, storages } from './storages.ts'

const ENTRY = 'impersonation_audit_entry'

async function entryOf({ store }: Storage, name: string, place = 0) {
  return (await store.timeline(idOf(name), { limit: 99 }))[place] ?? expect.fail(name)
}

/** An entry that is in no sum. */
async function alone({ store }: Storage) {
  const entries = await store.entries({ limit: 99 })
  return entries.findLast(({ row }) => row === undefined) ?? expect.fail()
}

type Attack = (on: Storage) => Promise<unknown>

/** Changes an entry. */
const setting =
  (set: string, of: (on: Storage) => Promise<{ readonly number: number }>): Attack =>
  async (on) =>
    on.run(`UPDATE ${ENTRY} SET ${set} WHERE number = ?`, (await of(on)).number)

const wipe = async (on: Storage, name: string, ...places: number[]) => {
  for (const place of places) await setting('text = NULL', () => entryOf(on, name, place))(on)
}
const removeEntry = (on: Storage, { number }: { readonly number: number }) =>
  on.run(`DELETE FROM ${ENTRY} WHERE number = ?`, number)
const drop = ({ run }: Storage, table: string, name: string) =>
  run(`DELETE FROM impersonation_audit_${table} WHERE id = ?`, idOf(name))
const addRow = ({ run }: Storage, id: string, version: number, row: object) =>
  run(
    'INSERT INTO impersonation_audit_impersonation (id, version, data) VALUES (?, ?, ?)',
    ...[id, version, JSON.stringify({ ...row, id })],
  )

/** A sum of which one member is another. */
const withOthers = (
  table: 'impersonation' | 'record',
  name: string,
  others: Readonly<Record<string, unknown>>,
) =>
  Object.fromEntries(
    Object.entries(others).map(([member, value]) => [
      `${name}, as ${table}, with another ${member}`,
      [
        (on: Storage) => on.change(table, idOf(name), (sum) => ({ ...sum, [member]: value })),
        new RegExp(`^the .* ${idOf(name)}: its ${member} is not what`),
      ] as const,
    ]),
  )

/** A text with the digest that it had to have. Nobody has the key for its mark. */
async function rewrite(storage: Storage, name: string, place = 0) {
  const { number, id, row, text = '' } = await entryOf(storage, name, place)
  const other = text.replace('alice', 'bobby')
  const digest = entryDigestOf(other, { id, subject: row }, JSON.parse(other))
  await storage.run(
    `UPDATE ${ENTRY} SET text = ?, digest = ? WHERE number = ?`,
    ...[other, digest, number],
  )
}

/** Attacks of a person without a key, cell by cell, and the words of the command. */
const ATTACKS: Readonly<Record<string, readonly [Attack, RegExp]>> = {
  'a text that was changed': [
    setting("text = replace(text, 'alice', 'bobby')", (on) => entryOf(on, 'd')),
    /^its text is not the one that was recorded$/,
  ],
  'a text with its digest': [(on) => rewrite(on, 'd'), /its customer is not what its entries say$/],
  'a text with its digest, in no sum': [
    async (on) => {
      const { number, digest, text = '' } = await alone(on)
      const other = text.replace('grace', 'bobby')
      await on.run(
        `UPDATE ${ENTRY} SET text = ?, digest = ? WHERE number = ?`,
        ...[other, `${digestOf(other)}${digest.slice(43)}`, number],
      )
    },
    /^the seal 3: one of the entries \d+ to \d+ was changed or moved$/,
  ],
  'an entry without the right mark, before it was sealed': [
    async (on) => {
      await put(on.store, exported(END - 5))
      await setting(`mac = '${'x'.repeat(22)}'`, alone)(on)
    },
    /^the seal \d+: of the entries .* 1 were put in$/,
  ],
  'a digest that is none': [
    setting("digest = replace(digest, '.', ':')", (on) => entryOf(on, 'd', 1)),
    /^its digest is none$/,
  ],
  'an entry that was taken out': [
    async (on) => removeEntry(on, await alone(on)),
    /^the seal 3: of the entries \d+ to \d+ 1 are missing, the first of them the entry \d+$/,
  ],
  'all entries of an impersonation, and its sum': [
    async (on) => {
      await on.run(`DELETE FROM ${ENTRY} WHERE subject = ?`, idOf('d'))
      await drop(on, 'impersonation', 'd')
    },
    /^the seal 2: .* 5 are missing/,
  ],
  'two entries that changed places': [
    async (on) => {
      const [{ number: one }, { number: other }] = [await entryOf(on, 'd'), await entryOf(on, 'e')]
      for (const [from, to] of [
        [one, -1],
        [other, one],
        [-1, other],
      ] as const) {
        await on.run(`UPDATE ${ENTRY} SET number = ? WHERE number = ?`, to, from)
      }
    },
    /changed or moved|no entry tells of it here|does not have it|is not what its entries say/,
  ],
  'an entry that SQL alone put in, after all others': [
    async (on) => {
      const [entry] = (await batchOf(on.store, used('g', END - 5))).entries
      await on.run(
        `INSERT INTO ${ENTRY} (number, digest, text, mac) VALUES (?, ?, ?, ?)`,
        ...[1000, entry?.digest ?? '', entry?.text ?? '', 'x'.repeat(22)],
      )
    },
    /of the entries .* 1 were put in|does not have it/,
  ],
  'an entry that was put in with its sum': [
    async (on) => {
      const batch = await batchOf(on.store, used('g', END - 5))
      await writeNow(on.store, {
        ...batch,
        entries: batch.entries.map((entry) => ({ ...entry, mac: '' })),
      })
    },
    /of the entries .* 1 were put in/,
  ],
  'an entry under a seal that this person signed': [
    async (on) => {
      const { entries, ...sums } = await batchOf(on.store, used('g', END - 5))
      await writeNow(on.store, { ...sums, entries: entries.map((each) => ({ ...each, mac: '' })) })
      const { sign } = await signer({ kid: 'own' })
      const seals = sealsOf(on.store, { sign, marks: { ...MARKS, isRight: () => true } })
      await seals.seal()
    },
    /^no key of the key set signed the seal 4\. Give the keys of that time, too$/,
  ],
  ...withOthers('impersonation', 'd', {
    reason: 'another',
    customer: { id: 'bob' },
    reads: 0,
    alarm: undefined,
    end: { at: 1, cause: 'user' },
    found: { words: '' },
  }),
  'an alarm that is hidden from the open ones': [
    (on) =>
      on.change('impersonation', idOf('d'), ({ found, ...row }) => ({
        ...{ ...row, found: { ...found, openAlarmAt: undefined } },
      })),
    /its found is not what its entries say$/,
  ],
  'a row that cannot be read': [
    (on) => on.change('impersonation', idOf('d'), ({ id }) => ({ id })),
    /^the row of impersonation \S+: its \S+ is not what/,
  ],
  'a row that is gone': [(on) => drop(on, 'impersonation', 'd'), /^the sum of \S+, .* is missing$/],
  'a row of an earlier version': [
    (on) =>
      on.run(
        'UPDATE impersonation_audit_impersonation SET version = version - 1 WHERE id = ?',
        idOf('d'),
      ),
    /does not have it|its \S+ is not what|no entry tells|is missing/,
  ],
  'a row that no entry tells of': [
    async (on) => addRow(on, idOf('x'), 30, (await on.store.row(idOf('d'))) ?? {}),
    /no entry tells of it here/,
  ],
  'a row with the id and the version of a permit': [
    async (on) => {
      const { last } = (await on.store.permit(idOf('open'))) ?? expect.fail()
      await addRow(on, idOf('open'), last, (await on.store.row(idOf('d'))) ?? {})
    },
    /no entry tells of it here/,
  ],
  ...withOthers('record', 'emergency', {
    state: 'declined',
    customer: 'bob',
    operator: 'oscar',
    slot: 'x',
    isReviewDue: false,
    overAt: 1,
    version: 9,
    data: '{}',
  }),
  'a permit that is said to be older': [
    (on) => on.run('UPDATE impersonation_audit_record SET first = 1 WHERE id = ?', idOf('open')),
    /^the permit \S+: its first is not what its entries say$/,
  ],
  'a permit that is gone': [
    (on) => drop(on, 'record', 'emergency'),
    /^the sum of \S+, .* is missing$/,
  ],
  'a permit whose last entry is gone with its sum': [
    async (on) => removeEntry(on, await entryOf(on, 'open', 1)),
    /^the permit \S+: /,
  ],
  'a seal that is gone': [
    (on) => on.run('DELETE FROM impersonation_audit_seal WHERE number = 2'),
    /^the seal 3: the seal 2 had to be here$/,
  ],
  'a seal that another one replaced': [
    (on) =>
      on.run(
        'UPDATE impersonation_audit_seal SET jws = (SELECT jws FROM impersonation_audit_seal WHERE number = 1) WHERE number = 2',
      ),
    /^the seal 1: the seal 2 had to be here$/,
  ],
  'a seal of which a letter was changed': [
    (on) => on.run("UPDATE impersonation_audit_seal SET jws = jws || 'A' WHERE number = 2"),
    /^the seal is not valid: /,
  ],
  'texts that are not old enough': [
    async (on) => {
      await wipe(on, 'd', 0, 1, 2, 3, 4)
      await drop(on, 'impersonation', 'd')
    },
    /^its text is missing, but it is of 2026-02-\S+, and only what is older than 2026-01-21/,
  ],
  'the texts of a row on hold': [
    async (on) => {
      await wipe(on, 'held', 0, 1, 2, 3, 4, 5)
      await drop(on, 'impersonation', 'held')
    },
    /^its text is missing, but its impersonation is on hold$/,
  ],
  'the older texts of a row that is younger': [
    async (on) => {
      await put(on.store, used('held', END - DAY))
      await wipe(on, 'held', 0, 1, 2, 3, 4, 5)
    },
    /its text is missing, but its impersonation is on hold|the entry \d+ about the same|is not what/,
  ],
  'a text that was removed alone': [(on) => wipe(on, 'held', 2), /is missing|no entry tells of it/],
}

/** In SQLite, a JSON member that stands twice: `->>` reads the first, and code the last. */
const TWICE: Readonly<
  Record<string, readonly [table: 'impersonation' | 'record', name: string, first: string]>
> = {
  'an emergency that nobody has to review': [
    'record',
    'emergency',
    '{"isReviewDue":false,"slot":"x",',
  ],
  'a permit of no slot': ['record', 'open', '{"slot":"x",'],
  'a row that no search finds': ['impersonation', 'd', '{"found":{"words":""},"alarm":{},'],
  'a hold that retention does not see': ['impersonation', 'held', '{"found":{"words":""},'],
}

for (const { name, create, suite } of storages) {
  suite(`verify finds, in ${name},`, () => {
    const storage = renewed(create)
    beforeEach(() => history(storage.store))

    async function told() {
      let said = ''
      await quietly(async () => {
        const lines = await linesOfExport(storage.store).catch((error: Error) => error.message)
        said = typeof lines === 'string' ? lines : (await broken(lines)).message
      })
      return said
    }

    for (const [what, [attack, says]] of Object.entries(ATTACKS)) {
      it(what, async () => {
        await attack(storage)
        expect(await told()).to.match(says)
      })
    }

    if (name === 'SQLite')
      for (const [what, [table, subject, first]] of Object.entries(TWICE)) {
        it(`what stands twice: ${what}`, async () => {
          await storage.run(
            `UPDATE impersonation_audit_${table} SET data = ? || substr(data, 2) WHERE id = ?`,
            ...[first, idOf(subject)],
          )
          expect(await told()).to.match(/its \S+ is not what its entries say$/)
          const read = () =>
            table === 'record'
              ? storage.store.permit(idOf(subject))
              : storage.store.row(idOf(subject))
          expect(String(await read().catch((error: unknown) => error))).to.include('cannot be read')
        })
      }

    it('the newest seals that were cut off with their entries, by one that was kept elsewhere', async () => {
      const [jws = ''] = await storage.store.seals(1)
      const kept = [{ jws, name: 'kept' }]
      expect(await verified(await linesOfExport(storage.store), { kept })).to.include({ rows: 5 })
      await storage.run('DELETE FROM impersonation_audit_seal WHERE number >= 3')
      // The same entries have the same seal again.
      expect(await verified(await linesOfExport(storage.store), { kept })).to.include({ rows: 5 })
      await storage.run('DELETE FROM impersonation_audit_seal WHERE number >= 3')
      await removeEntry(storage, await alone(storage))
      const made = await linesOfExport(storage.store)
      expect((await broken(made, { kept })).message).to.match(/kept elsewhere is of other entries/)
    })

    it('no fault where nobody changed anything, also nine minutes early: clocks differ', async () => {
      const { store } = storage
      await removeOld(store, END - KEEP_FOR * 1000 + 540_000, 99)
      expect(await verified(await linesOfExport(store))).to.deep.include({
        ...{ rows: 5, permits: 2, unprovedRows: 0, removed: 21, unknown: 0, seals: 4 },
        unsealed: { count: 0, since: undefined },
      })
    })

    it('no fault in what is stored, and removed, during an export', async () => {
      const { store } = storage
      let pages = 0
      const during: AuditStore = {
        ...store,
        async filed({ after }) {
          pages += 1
          if (pages < 20) {
            await put(store, used('d', END), used(`${pages}`, END), act('released', 'held', END))
            await put(store, decided('reviewed', 'emergency', END))
            await removeOld(store, END - KEEP_FOR * 1000, 1)
          }
          return store.filed({ after, limit: pages < 20 ? 4 : 1000 })
        },
      }
      const lines = await linesOfExport(during)
      expect(await verified(lines)).to.include({ permits: 2, unprovedRows: 0 })
    })
  })
}
