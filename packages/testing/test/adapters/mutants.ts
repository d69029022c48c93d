import type { SingleUseAdapter } from '../../../../src/adapters/contract.ts'

/** The methods to replace, given a correct adapter. */
export type Mutation = (adapter: SingleUseAdapter, model: string) => Partial<SingleUseAdapter>

let calls = 0

/** Lets callers that read at the same time go on at different times, as they do with a server. */
async function turnsOfItsOwn(): Promise<void> {
  calls += 1
  for (let left = calls % 3; left > 0; left -= 1) await new Promise(setImmediate)
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
}
