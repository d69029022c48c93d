// A table: over 250 lines, and each entry stands for itself.
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, LookUp } from '../../../../src/adapters/contract.ts'
import type { EndingMutation } from './ending-mutants.ts'

/** Changes how records are looked up. */
function listing(change: (lookUp: LookUp) => LookUp): EndingMutation {
  return (sound) => ({
    list: (lookUp, limit, before) => sound.list(change(lookUp), limit, before),
  })
}

/** All that match, page by page. */
async function allOf(sound: EndingAdapter, lookUp: LookUp): Promise<AdapterPayload[]> {
  const all: AdapterPayload[] = []
  for (;;) {
    const last = all.at(-1)
    const before = last && { iat: Number(last.iat), id: String(last.jti) }
    const page = await sound.list(lookUp, 100, before)
    all.push(...page)
    if (page.length < 100) return all
  }
}

/** Mistakes of `list` and `endedIndices`. */
export const listingMutants: Record<string, [EndingMutation, string]> = {
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
  'a list that knows no limit': [
    (sound) => ({ list: (lookUp) => allOf(sound, lookUp) }),
    'as many as asked for',
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
  'a list with an offset for a cursor': [
    (sound) => {
      const offsets = new Map<string, number>()
      return {
        async list(lookUp, limit, before) {
          const from = before ? (offsets.get(before.id) ?? 0) : 0
          const page = (await allOf(sound, lookUp)).slice(from, from + limit)
          offsets.set(String(page.at(-1)?.jti), from + limit)
          return page
        },
      }
    },
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
  'a look-up that ignores the account': [
    listing(({ accountId: _, ...rest }) => rest),
    'looks up by account',
  ],
  'a list without look-ups that is empty': [
    (sound) => ({
      list: async (lookUp, ...rest) =>
        Object.values(lookUp).some((value) => value !== undefined)
          ? sound.list(lookUp, ...rest)
          : [],
    }),
    'lists every record where nothing is looked up',
  ],
  'a look-up by the bound actor alone': [
    (sound) => ({
      async list({ actor, ...lookUp }, limit) {
        return (await allOf(sound, lookUp))
          .filter((payload) => actor === undefined || payload.actor === actor)
          .slice(0, limit)
      },
    }),
    'until a note names another',
  ],
  'a list that shows what has expired': [
    (sound) => {
      const stored = new Map<string, AdapterPayload>()
      return {
        async upsert(id, payload, ttl) {
          if (ttl === 1) stored.set(String(payload.accountId), payload)
          await sound.upsert(id, payload, ttl)
        },
        async list(lookUp, ...rest) {
          const page = await sound.list(lookUp, ...rest)
          const expired = stored.get(lookUp.accountId ?? '')
          return page.length > 0 || !expired ? page : [expired]
        },
      }
    },
    'keeps the expiry when a record ends',
  ],
  'look-ups that ignore case': [
    (sound) => ({
      upsert: (id, payload, ttl) =>
        sound.upsert(id, { ...payload, clientId: payload.clientId?.toLowerCase() }, ttl),
      list: (lookUp, ...rest) =>
        sound.list({ ...lookUp, clientId: lookUp.clientId?.toLowerCase() }, ...rest),
    }),
    'whatever characters they are of',
  ],
  'endedIndices from a cache': [
    (sound) => {
      const known = new Map<string, Promise<number[]>>()
      return {
        async endedIndices(list) {
          const before = known.get(list) ?? sound.endedIndices(list)
          known.set(list, before)
          return before
        },
      }
    },
    'knows the indices of what has ended in a list',
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
  'followEnded that forgets what it read while another call read': [
    (sound) => ({
      followEnded(list) {
        const known = new Set<number>()
        let reading = 0
        return {
          async next() {
            reading += 1
            const indices = await sound.endedIndices(list)
            reading -= 1
            const isNew = indices.filter((index) => !known.has(index))
            for (const index of isNew) known.add(index)
            return reading > 0 ? [] : isNew
          },
        }
      },
    }),
    'tells a follower of a list three hundred ends',
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
  'endedIndices kept apart, by an endOnce that does nothing for what has ended': [
    (sound) => {
      const lost = new Set<number>()
      return {
        async destroy(id) {
          const list = /^status-list:\{(.*)\}$/.exec(id)?.[1]
          if (list) for (const index of await sound.endedIndices(list)) lost.add(index)
          await sound.destroy(id)
        },
        endedIndices: async (list) =>
          (await sound.endedIndices(list)).filter((index) => !lost.has(index)),
      }
    },
    'knows an index again that the storage lost',
  ],
}
