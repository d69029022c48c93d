import {
  type AuditEntry,
  type AuditRow,
  decodeEntry,
  fold,
} from 'oidc-provider-impersonation-verify/format'
import type { NewRecord } from '../../../../src/ledger/batch.ts'
import type { AuditStore, StoredEntry } from '../../../../src/ledger/store.ts'
import { aWhile, type Mutants } from './support.ts'

/** Appends under a number that no batch had before: the number of the writer is not looked at. */
function appendAnyway(store: AuditStore): AuditStore['append'] {
  let number = 0
  return (batch) => {
    number += 1
    return store.append({ ...batch, number })
  }
}

/** An event that says nothing, in place of a claim. */
function eventOf({ event }: AuditEntry): AuditEntry['event'] {
  return event === 'support.notifying' ? 'support.exported' : event
}

/** Changes what is read of each entry. */
function withEntries(
  store: AuditStore,
  change: (entry: StoredEntry) => StoredEntry,
): Pick<AuditStore, 'entries' | 'timeline'> {
  return {
    entries: async (page) => (await store.entries(page)).map(change),
    timeline: async (id, page) => (await store.timeline(id, page)).map(change),
  }
}

/** Changes what is read of each row. */
function withRows(
  store: AuditStore,
  change: (row: AuditRow) => AuditRow,
): Pick<AuditStore, 'find' | 'row'> {
  return {
    async row(id) {
      const row = await store.row(id)
      return row && change(row)
    },
    async find(filter, page) {
      const { rows, next } = await store.find(filter, page)
      return { rows: rows.map(change), next }
    },
  }
}

export const writingMutants: Mutants = {
  'append that takes no notice of the number': [
    (sound) => ({ append: appendAnyway(sound) }),
    'changes nothing when a batch is written again',
  ],
  'append that takes a claim whoever had it before': [
    (sound) => ({
      append: (batch) =>
        sound.append({
          ...batch,
          records: batch.records.map((record) => ({
            ...record,
            entry: { ...record.entry, event: eventOf(record.entry) },
          })),
        }),
    }),
    'gives each attempt to tell a customer to one',
  ],
  'append that knows only the last batch of a writer': [
    (sound) => {
      const last = new Map<string, number>()
      const append = appendAnyway(sound)
      return {
        async append(batch) {
          if (last.get(batch.writer) === batch.number) return []
          last.set(batch.writer, batch.number)
          return append(batch)
        },
      }
    },
    'however late it is repeated',
  ],
  'append that looks at the number first and writes afterwards': [
    (sound) => {
      const written = new Map<string, number>()
      const append = appendAnyway(sound)
      return {
        async append(batch) {
          if ((written.get(batch.writer) ?? 0) >= batch.number) return []
          await aWhile()
          written.set(batch.writer, batch.number)
          return append(batch)
        },
      }
    },
    'takes a batch once that is written twice at the same time',
  ],
  'append that stores what comes before a bad entry': [
    (sound) => ({
      async append(batch) {
        const { records } = batch
        const isBad = ({ entry }: NewRecord) => !Number.isSafeInteger(entry.timeMs)
        if (records.some(isBad)) {
          await sound.append({ ...batch, records: records.slice(0, records.findIndex(isBad)) })
        }
        return sound.append(batch)
      },
    }),
    'refuses a batch for what is in it',
  ],
  'append that does nothing where no entry is new': [
    (sound) => ({
      append: async (batch) => (batch.records.length > 0 ? sound.append(batch) : []),
    }),
    'writes a batch that only repeats',
  ],
  'append that does not count': [
    (sound) => ({ append: (batch) => sound.append({ ...batch, repetitions: [] }) }),
    'counts what happens again on its entry',
  ],
  'append that counts on the entry and not on the row': [
    (sound) => ({
      append: (batch) =>
        sound.append({
          ...batch,
          repetitions: batch.repetitions.map((each) => ({ ...each, row: undefined })),
        }),
    }),
    'counts what happens again on its entry',
  ],
  'append that counts each repetition once': [
    (sound) => ({
      append: (batch) =>
        sound.append({
          ...batch,
          repetitions: batch.repetitions.map((each) => ({ ...each, count: 1 })),
        }),
    }),
    'counts what happens again on its entry',
  ],
  'append that reads the row first and writes it afterwards': [
    (sound) => {
      const rows = new Map<string, AuditRow>()
      return {
        async append(batch) {
          const before = new Map(rows)
          await aWhile()
          const gone = await sound.append(batch)
          for (const { row, entry } of batch.records) {
            if (row === undefined) continue
            before.set(row, fold(before.get(row), row, { entry, count: 1, lastTime: entry.timeMs }))
          }
          for (const { row, ...happening } of batch.repetitions) {
            if (row !== undefined) before.set(row, fold(before.get(row), row, happening))
          }
          for (const { row } of [...batch.records, ...batch.repetitions]) {
            const after = row === undefined ? undefined : before.get(row)
            if (after) rows.set(after.id, after)
          }
          return gone
        },
        row: async (id) => rows.get(id),
      }
    },
    'loses no entry and no count of several writers at once',
  ],
  'append that keeps an entry without a row nowhere': [
    (sound) => ({
      entries: async (page) => (await sound.entries(page)).filter(({ row }) => row !== undefined),
    }),
    'keeps an entry that is about no impersonation',
  ],
  'a text that is written anew': [
    (sound) =>
      withEntries(sound, (entry) => ({
        ...entry,
        text: entry.text === undefined ? undefined : JSON.stringify(JSON.parse(entry.text)),
      })),
    'keeps every entry as it was',
  ],
  'a text that has lost its NUL': [
    (sound) =>
      withEntries(sound, (entry) => ({ ...entry, text: entry.text?.replaceAll('\\u0000', '') })),
    'keeps every entry as it was',
  ],
  'a row that keeps 255 characters of a text': [
    (sound) =>
      withRows(sound, (row) =>
        row.reason === undefined ? row : { ...row, reason: row.reason.slice(0, 255) },
      ),
    'whatever texts are in them',
  ],
  'a row without what is not known at first': [
    (sound) => withRows(sound, ({ objection: _, ...row }) => row),
    'keeps the row: the sum of its entries',
  ],
  'a row that says null where nothing is known': [
    (sound) => withRows(sound, (row) => Object.assign({ jti: null }, row)),
    'keeps the row: the sum of its entries',
  ],
  'a lastTime that is told of every entry': [
    (sound) =>
      withEntries(sound, (entry) => ({
        ...entry,
        lastTime: entry.lastTime ?? decodeEntry(entry.text ?? '')?.timeMs,
      })),
    'keeps every entry as it was',
  ],
  'heads that tell of one chain only': [
    (sound) => ({ heads: async () => (await sound.heads()).slice(-1) }),
    'keeps the last link of each chain',
  ],
}
