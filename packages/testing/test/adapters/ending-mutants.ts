import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../../../../src/adapters/contract.ts'
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
  'endOnce that only ends what was not consumed': [
    (sound) => ({
      endOnce: async (id, end) => !(await sound.find(id))?.consumed && sound.endOnce(id, end),
    }),
    'consumed or not',
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
  ...listingMutants,
}
