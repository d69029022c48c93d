import type { SingleUseAdapter } from '../../src/adapters/contract.ts'

/** The methods to replace, given a correct adapter. */
export type Mutation = (adapter: SingleUseAdapter, model: string) => Partial<SingleUseAdapter>

let calls = 0

/** Lets callers that read at the same time go on at different times, as they do with a server. */
export async function turnsOfItsOwn(): Promise<void> {
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
  'consumeOnce that always says true': [
    () => ({ consumeOnce: async () => true }),
    'consumes nothing that is not there',
  ],
  'consumeOnce that marks nothing': [
    (sound) => ({ consumeOnce: async (id) => !(await sound.find(id))?.consumed }),
    'shows it as consumed afterwards',
  ],
  'consumeOnce that creates what is missing': [
    (sound) => ({
      async consumeOnce(id) {
        if (!(await sound.find(id))) await sound.upsert(id, { consumed: 1_700_000_000 })
        return sound.consumeOnce(id)
      },
    }),
    'neither brings an expired record back',
  ],
  'consume that resets the expiry': [
    (sound) => ({
      async consume(id) {
        const found = await sound.find(id)
        if (found) await sound.upsert(id, { ...found, consumed: 1_700_000_000 })
      },
    }),
    'neither brings an expired record back',
  ],
  'consume that writes milliseconds': [
    (sound) => ({
      async find(id) {
        const found = await sound.find(id)
        return found?.consumed ? { ...found, consumed: found.consumed * 1000 } : found
      },
    }),
    'stores, finds, replaces',
  ],
  'upsert that starts anew': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        await sound.destroy(id)
        await sound.upsert(id, payload, ttl)
      },
    }),
    'keeps a consumed record of every model consumed',
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
  'upsert that keeps the time of the last write that says consumed': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        if (payload.consumed) await sound.destroy(id)
        await sound.upsert(id, payload, ttl)
      },
    }),
    'keeps a consumed record of every model consumed',
  ],
  'upsert that replaces no consumed record': [
    (sound) => ({
      async upsert(id, payload, ttl) {
        if (!(await sound.find(id))?.consumed) await sound.upsert(id, payload, ttl)
      },
    }),
    'longer life it is given',
  ],
  'upsert that keeps the mark of an expired record': [
    (sound, model) => {
      const claims = new Map<string, number>()
      return {
        async upsert(id, payload, ttl) {
          const consumed = claims.get(model + id)
          await sound.upsert(id, consumed ? { ...payload, consumed } : payload, ttl)
        },
        async consumeOnce(id) {
          const won = await sound.consumeOnce(id)
          if (won) claims.set(model + id, 1_700_000_000)
          return won
        },
        async destroy(id) {
          claims.delete(model + id)
          await sound.destroy(id)
        },
      }
    },
    'under the id of an expired and consumed one',
  ],
  'an adapter that ignores expiresIn': [
    (sound) => ({ upsert: (id, payload) => sound.upsert(id, payload) }),
    'forgets every kind of record',
  ],
  'an adapter that lets Clients expire': [
    (sound) => ({ upsert: (id, payload, ttl = 1) => sound.upsert(id, payload, ttl) }),
    'a Client never',
  ],
  'a find that hands out the stored object': [
    (sound) => {
      const kept = new Map<string, Awaited<ReturnType<SingleUseAdapter['find']>>>()
      return {
        upsert: async (id, payload, ttl) => {
          kept.set(id, payload)
          await sound.upsert(id, payload, ttl)
        },
        find: async (id) => ((await sound.find(id)) ? kept.get(id) : undefined),
      }
    },
    'is not changed by a caller',
  ],
  'revokeByGrantId that stops after a hundred': [
    (sound) => {
      const grants = new Map<string, string[]>()
      return {
        upsert: async (id, payload, ttl) => {
          const grantId = payload.grantId ?? ''
          grants.set(grantId, [...(grants.get(grantId) ?? []), id])
          await sound.upsert(id, payload, ttl)
        },
        revokeByGrantId: async (grantId) => {
          for (const id of (grants.get(grantId) ?? []).slice(0, 100)) await sound.destroy(id)
        },
      }
    },
    'however many',
  ],
  'findByUserCode that forgets the claim': [
    (sound) => ({
      async findByUserCode(code) {
        const { consumed: _, ...rest } = (await sound.findByUserCode(code)) ?? {}
        return Object.keys(rest).length ? rest : undefined
      },
    }),
    'finds a DeviceCode by its user code',
  ],
  'ids that ignore case': [
    (sound) => ({
      upsert: (id, payload, ttl) => sound.upsert(id.toLowerCase(), payload, ttl),
      find: (id) => sound.find(id.toLowerCase()),
      destroy: (id) => sound.destroy(id.toLowerCase()),
    }),
    'tells ids apart',
  ],
  'payloads that lose an own __proto__': [
    (sound) => ({
      async find(id) {
        const found = await sound.find(id)
        return (
          found && JSON.parse(JSON.stringify(found), (k, v) => (k === '__proto__' ? undefined : v))
        )
      },
    }),
    'unusual payloads',
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
  'an upsert that writes only the last record of a turn': [
    (sound) => {
      let last = ''
      return {
        async upsert(id, payload, ttl) {
          last = id
          await undefined
          if (id === last) await sound.upsert(id, payload, ttl)
        },
      }
    },
    'records that are written at once',
  ],
  'a find that answers with the record of another model': [
    findOfLastModel(),
    'tells models apart where records of one id are looked up at once',
  ],
}

function findOfLastModel(): Mutation {
  let last: SingleUseAdapter | undefined
  return (sound) => ({
    async find(id) {
      last = sound
      await undefined
      return last.find(id)
    },
  })
}
