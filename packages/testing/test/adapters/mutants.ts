import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter } from '../../../../src/adapters/contract.ts'

/** The methods to replace, given a correct adapter. */
export type Mutation = (sound: EndingAdapter) => Partial<EndingAdapter>

let calls = 0

/** Lets callers that read at the same time go on at different times, as they do with a server. */
async function turnsOfItsOwn(): Promise<void> {
  calls += 1
  for (let left = calls % 3; left > 0; left -= 1) await new Promise(setImmediate)
}

/** Changes every payload that comes out. */
function showing(change: (payload: AdapterPayload) => AdapterPayload): Mutation {
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
export const mutants: Record<string, [Mutation, string]> = {
  'consumeOnce that reads first and writes afterwards': [
    (sound) => ({
      async consumeOnce(id) {
        const found = await sound.find(id)
        if (!found || found.consumed) return false
        await sound.consume(id)
        return true
      },
    }),
    'exactly one of 50',
  ],
  'upsert that reads first and writes afterwards': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        const consumed = (await sound.find(id))?.consumed
        await turnsOfItsOwn()
        // the memory adapter does both at once
        void sound.destroy(id)
        await sound.upsert(id, consumed ? { ...payload, consumed } : payload, ttl)
      },
    }),
    'each write a record and then consume it',
  ],
  'an adapter that ignores expiresIn': [
    (sound) => ({ upsert: (id, payload) => sound.upsert(id, payload) }),
    'forgets every kind of record',
  ],
  'a find that answers with the record of another call of the same turn': [
    (sound) => {
      let last = ''
      return {
        async find(id) {
          last = id
          await undefined
          return sound.find(last)
        },
      }
    },
    'when all are looked up at once',
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
  'a list that is in no order within a second': [
    (sound) => ({
      async list(lookUp, limit, before) {
        const page = await sound.list(lookUp, limit, before)
        return page.toSorted(
          (a, b) => Number(b.iat) - Number(a.iat) || (String(a.jti) < String(b.jti) ? -1 : 1),
        )
      },
    }),
    'lists the newest first',
  ],
  'a list that goes on after a record which has to be there': [
    (sound) => ({
      async list(lookUp, limit, before) {
        if (before && !(await sound.find(before.id))) return []
        return sound.list(lookUp, limit, before)
      },
    }),
    'goes on after the page before',
  ],
  'look-ups that are joined by or': [
    (sound) => ({
      async list(lookUp, limit, before) {
        const pages = await Promise.all(
          Object.entries(lookUp)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => sound.list({ [name]: value }, limit, before)),
        )
        if (pages.length === 0) return sound.list(lookUp, limit, before)
        return [...new Map(pages.flat().map((each) => [each.jti, each])).values()].slice(0, limit)
      },
    }),
    'and by several of them',
  ],
  'endedIndices of every list': [
    (sound) => {
      const lists = new Set<string>()
      return {
        upsert(id, payload, ttl) {
          if (typeof payload.statusList === 'string') lists.add(payload.statusList)
          return sound.upsert(id, payload, ttl)
        },
        endedIndices: async () =>
          (await Promise.all([...lists].map((list) => sound.endedIndices(list)))).flat(),
      }
    },
    'knows the indices of what has ended in a list',
  ],
  'followEnded of what ends after the highest index that it saw': [
    (sound) => ({
      followEnded(list) {
        let highest = -1
        return {
          async next() {
            const indices = (await sound.endedIndices(list)).filter((index) => index > highest)
            highest = Math.max(highest, ...indices)
            return indices
          },
        }
      },
    }),
    'tells a follower of a list each end',
  ],
}
