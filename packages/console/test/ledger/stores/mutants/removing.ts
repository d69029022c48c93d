import type { StoredEntry } from '../../../../src/ledger/store.ts'
import { aWhile, type Mutants } from './support.ts'

/** No time that a test has is later. */
const FOR_EVER = Number.MAX_SAFE_INTEGER

export const removingMutants: Mutants = {
  'a removal of what is as old as the time': [
    (sound) => ({ remove: (before, limit) => sound.remove(before + 1, limit) }),
    'whose last entry is before the time',
  ],
  'a removal of everything': [
    (sound) => ({ remove: (_before, limit) => sound.remove(FOR_EVER, limit) }),
    'whose last entry is before the time',
  ],
  'a removal that counts from the first entry': [
    (sound) => ({
      append: (batch) => {
        const repetitions = batch.repetitions.map((each) => ({ ...each, lastTime: 0 }))
        return sound.append({ ...batch, repetitions })
      },
    }),
    'keeps what a repetition made young',
  ],
  'a removal without a limit': [
    (sound) => ({ remove: (before) => sound.remove(before, 1e9) }),
    'removes at most so many rows',
  ],
  'a removal that does not say how much': [
    (sound) => ({
      remove: async (before, limit) => Math.min(1, await sound.remove(before, limit)),
    }),
    'removes rows whose last entry is before',
  ],
  'a hold that holds nothing': [
    (sound) => ({
      append: (batch) =>
        sound.append({
          ...batch,
          records: batch.records.map((record) =>
            record.entry.event === 'support.held' ? { ...record, row: undefined } : record,
          ),
        }),
    }),
    'keeps a row on hold',
  ],
  'a removal that leaves entries without a row': [
    (sound) => {
      const kept = new Map<string, StoredEntry>()
      return {
        async entries(page) {
          const entries = await sound.entries(page)
          for (const entry of entries) if (entry.text !== undefined) kept.set(entry.cursor, entry)
          return entries.map((entry) =>
            entry.row === undefined ? (kept.get(entry.cursor) ?? entry) : entry,
          )
        },
        async remove(before, limit) {
          for (const entry of await sound.entries({ limit: 1e9 })) {
            if (entry.text !== undefined) kept.set(entry.cursor, entry)
          }
          return sound.remove(before, limit)
        },
      }
    },
    'removes old entries without a row',
  ],
  'a removal of the first entry of a chain': [
    (sound) => ({
      entries: async (page) =>
        (await sound.entries(page)).map((entry) =>
          entry.row === undefined && entry.sequence === 1 ? { ...entry, text: undefined } : entry,
        ),
    }),
    'keeps the first entry of a chain',
  ],
  'repetitions of what was removed, of which nothing is said': [
    (sound) => ({
      async append(batch) {
        await sound.append(batch)
        return []
      },
    }),
    'counts nothing on what was removed, says so',
  ],
  'a removal that removes the hashes': [
    (sound) => ({
      entries: async (page) =>
        (await sound.entries({ ...page, limit: 1e9 })).filter(({ text }) => text !== undefined),
    }),
    'removes rows whose last entry is before',
  ],
  'a removal that leaves the timeline': [
    (sound) => {
      const kept = new Map<string, readonly StoredEntry[]>()
      return {
        async remove(before, limit) {
          for (const entry of await sound.entries({ limit: 1e9 })) {
            const row = entry.row ?? ''
            kept.set(row, kept.get(row) ?? (await sound.timeline(row, { limit: 1e9 })))
          }
          return sound.remove(before, limit)
        },
        timeline: async (id, page) => kept.get(id) ?? (await sound.timeline(id, page)),
      }
    },
    'removes rows whose last entry is before',
  ],
  'heads that forget a chain that was removed': [
    (sound) => ({
      async heads() {
        const entries = await sound.entries({ limit: 1e9 })
        const left = new Set(
          entries.flatMap(({ writer, text }) => (text === undefined ? [] : writer)),
        )
        return (await sound.heads()).filter(({ writer }) => left.has(writer))
      },
    }),
    'says of each chain what is removed',
  ],
  'a removed that tells of no exceptions': [
    (sound) => ({
      removed: async () => (await sound.removed()).map((each) => ({ ...each, except: [] })),
    }),
    'says of each chain what is removed',
  ],
  'a removed that tells of the whole chain': [
    (sound) => ({
      async removed() {
        const heads = new Map(
          (await sound.heads()).map(({ writer, sequence }) => [writer, sequence]),
        )
        return (await sound.removed()).map((each) => ({
          ...each,
          upTo: heads.get(each.writer) ?? 0,
        }))
      },
    }),
    'says of each chain what is removed',
  ],
  'a removal of one row that asks before, and not in the same step': [
    (sound) => ({
      async removeRow(id, mayGo) {
        const row = await sound.row(id)
        const isFree = row !== undefined && mayGo(row)
        for (let left = 9; left > 0; left -= 1) await aWhile()
        return isFree && sound.removeRow(id, () => true)
      },
    }),
    'removes no row that may not go',
  ],
  'a removal of one row that leaves its texts': [
    (sound) => {
      const kept = new Map<string, StoredEntry>()
      return {
        async removeRow(id, mayGo) {
          for (const entry of await sound.entries({ limit: 1e9 })) kept.set(entry.cursor, entry)
          return sound.removeRow(id, mayGo)
        },
        entries: async (page) =>
          (await sound.entries(page)).map((entry) => kept.get(entry.cursor) ?? entry),
      }
    },
    'removes one row, young as it is',
  ],
  'checkpoints in the order in which they were kept': [
    () => {
      const kept: string[] = []
      return {
        keepCheckpoint: async (jws) => void kept.unshift(jws),
        checkpoints: async (limit) => kept.slice(0, limit),
      }
    },
    'returns the newest first',
  ],
}
