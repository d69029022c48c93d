import type { AdapterPayload } from 'oidc-provider'
import type { ConsumptionNote, EndingAdapter } from '../../src/adapters/contract.ts'
import { listingMutants } from './listing-mutants.ts'
import { turnsOfItsOwn } from './mutants.ts'

/** The methods to replace, given a correct adapter. */
export type EndingMutation = (sound: EndingAdapter) => Partial<EndingAdapter>

/** Changes every payload that comes out. */
function showing(change: (payload: AdapterPayload) => AdapterPayload): EndingMutation {
  return (sound) => ({
    async find(id) {
      const found = await sound.find(id)
      return found && change(found)
    },
    async list(...args) {
      return (await sound.list(...args)).map(change)
    },
  })
}

/** Known mistakes of adapters, each with a part of the title of the case that has to fail. */
export const endingMutants: Record<string, [EndingMutation, string]> = {
  'consumeOnce that drops the note': [
    (sound) => ({ consumeOnce: (id) => sound.consumeOnce(id) }),
    'keeps the note of the one that consumed',
  ],
  'consumeOnce that keeps the note of another call of the same turn': [
    (sound) => {
      let last: Parameters<typeof sound.consumeOnce>[1]
      return {
        async consumeOnce(id, note) {
          last = note
          await undefined
          return sound.consumeOnce(id, last)
        },
      }
    },
    'the note of its winner where several are consumed at once',
  ],
  'consumeOnce that asks only where a turn has no other': [
    (sound) => {
      let calls = 0
      return {
        async consumeOnce(id, note) {
          calls += 1
          await undefined
          const others = calls - 1
          const won = await sound.consumeOnce(id, note)
          calls = 0
          return won || others > 0
        },
      }
    },
    'consumes at once what is live, and nothing',
  ],
  'a note that is kept although the consumption was lost': [
    (sound) => {
      const notes = new Map<string, unknown>()
      return {
        async consumeOnce(id, note) {
          if (note) notes.set(id, note)
          return sound.consumeOnce(id, note)
        },
        async find(id) {
          const found = await sound.find(id)
          return found && notes.has(id) ? { ...found, note: notes.get(id) } : found
        },
      }
    },
    'keeps the note of the one that consumed',
  ],
  'consumeOnce that keeps the last note of those who ask in one turn': [
    (sound) => {
      const asked = new Map<string, ConsumptionNote | undefined>()
      return {
        async consumeOnce(id, note) {
          asked.set(id, note)
          await new Promise((resolve) => setImmediate(resolve))
          return sound.consumeOnce(id, asked.get(id))
        },
      }
    },
    'keeps the note of the one of 50 callers',
  ],
  'consumeOnce that answers all who ask in one turn alike': [
    (sound) => {
      const asked = new Map<string, Promise<boolean>>()
      return {
        consumeOnce(id, note) {
          const answer = asked.get(id) ?? sound.consumeOnce(id, note)
          asked.set(id, answer)
          setImmediate(() => asked.delete(id))
          return answer
        },
      }
    },
    'keeps the note of the one of 50 callers',
  ],
  'a find that forgets the end': [
    showing(({ end: _, ...rest }) => rest),
    'ends a record for exactly one of 50',
  ],
  'endOnce that reads first and writes afterwards': [
    (sound) => ({
      async endOnce(id, end) {
        if ((await sound.find(id))?.end) return false
        await sound.endOnce(id, end)
        return true
      },
    }),
    'ends a record for exactly one of 50',
  ],
  'endOnce that lets the last end win': [
    (sound) => {
      const ends = new Map<string, unknown>()
      return {
        endOnce(id, end) {
          ends.set(id, end)
          return sound.endOnce(id, end)
        },
        async find(id) {
          const found = await sound.find(id)
          return found?.end ? { ...found, end: ends.get(id) } : found
        },
      }
    },
    'ends a record for exactly one of 50',
  ],
  'endOnce that always says true': [
    (sound) => ({
      async endOnce(id, end) {
        await sound.endOnce(id, end)
        return true
      },
    }),
    'ends nothing that is not there',
  ],
  'endOnce that creates what is missing': [
    (sound) => ({
      async endOnce(id, end) {
        if (!(await sound.find(id))) await sound.upsert(id, { jti: id, accountId: 'x' }, 60)
        return sound.endOnce(id, end)
      },
    }),
    'never revives a record that is destroyed while it is ended',
  ],
  'endOnce that only ends what was not consumed': [
    (sound) => ({
      endOnce: async (id, end) => !(await sound.find(id))?.consumed && sound.endOnce(id, end),
    }),
    'consumed or not',
  ],
  'endOnce that resets the expiry': [
    (sound) => ({
      async endOnce(id, end) {
        const found = await sound.find(id)
        if (found) await sound.upsert(id, found, 60)
        return sound.endOnce(id, end)
      },
    }),
    'keeps the expiry when a record ends',
  ],
  'consumeOnce that knows of no end': [
    (sound) => {
      const late = new Set<string>()
      return {
        async consumeOnce(id, note) {
          const found = await sound.find(id)
          if (!found?.end || found.consumed || late.has(id)) return sound.consumeOnce(id, note)
          late.add(id)
          return true
        },
      }
    },
    'never consumes a record that has ended',
  ],
  'consumeOnce that looks for an end before its own step': [
    (sound) => ({
      async consumeOnce(id, note) {
        const found = await sound.find(id)
        if (!found || found.consumed || found.end) return false
        // the end that comes now is not seen
        await null
        const won = await sound.consumeOnce(id, note)
        return won || !(await sound.find(id))?.consumed
      },
    }),
    'consumes first or not at all',
  ],
  'endOnce that writes the record as it was read': [
    (sound) => ({
      async endOnce(id, end) {
        const found = await sound.find(id)
        if (!found || found.end) return false
        await null
        const { consumed, note: _, ...rest } = found
        const { consumed: since } = (await sound.find(id)) ?? {}
        if (since && !consumed) {
          await sound.destroy(id)
          await sound.upsert(id, rest, 60)
        }
        return sound.endOnce(id, end)
      },
    }),
    'consumes first or not at all',
  ],
  'upsert that brings an ended record back': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        const found = await sound.find(id)
        if (found?.end && !found.consumed) await sound.destroy(id)
        await sound.upsert(id, payload, ttl)
      },
    }),
    'whatever replaces it',
  ],
  'upsert that keeps the consumption and drops its note': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        const { consumed, end } = (await sound.find(id)) ?? {}
        if (consumed) await sound.destroy(id)
        await sound.upsert(id, consumed ? { ...payload, consumed } : payload, ttl)
        if (consumed && end) await sound.endOnce(id, Object(end))
      },
    }),
    'keeps consumption, note and end',
  ],
  'upsert that reads the end first and writes afterwards': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        const end = (await sound.find(id))?.end
        await turnsOfItsOwn()
        // the memory adapter does both at once
        void sound.destroy(id)
        await sound.upsert(id, payload, ttl)
        if (end) await sound.endOnce(id, Object(end))
      },
    }),
    'each write it and then end it',
  ],
  'notes that lose an own __proto__': [
    showing(({ note, ...rest }) =>
      note === undefined ? rest : { ...rest, note: Object.assign({}, note) },
    ),
    'an own __proto__ among them',
  ],
  'ends that are handed out as they were given': [
    (sound) => {
      const ends = new Map<string, unknown>()
      return {
        async endOnce(id, end) {
          const won = await sound.endOnce(id, end)
          if (won) ends.set(id, end)
          return won
        },
        async find(id) {
          const found = await sound.find(id)
          return found?.end ? { ...found, end: ends.get(id) } : found
        },
      }
    },
    'gives back notes and ends exactly',
  ],
  ...listingMutants,
}
