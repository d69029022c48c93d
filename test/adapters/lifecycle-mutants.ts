import type { AdapterPayload } from 'oidc-provider'
import type { LifecycleAdapter, LookUp } from '../../src/adapters/contract.ts'

/** The methods to replace, given a correct adapter. */
export type LifecycleMutation = (sound: LifecycleAdapter) => Partial<LifecycleAdapter>

/** Changes every payload that comes out. */
function showing(change: (payload: AdapterPayload) => AdapterPayload): LifecycleMutation {
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

/** Changes how records are looked up. */
function listing(change: (lookUp: LookUp) => LookUp): LifecycleMutation {
  return (sound) => ({
    list: (lookUp, limit, before) => sound.list(change(lookUp), limit, before),
  })
}

/** All that match, page by page. */
async function allOf(sound: LifecycleAdapter, lookUp: LookUp): Promise<AdapterPayload[]> {
  const all: AdapterPayload[] = []
  for (;;) {
    const last = all.at(-1)
    const before = last && { iat: Number(last.iat), id: String(last.jti) }
    const page = await sound.list(lookUp, 100, before)
    all.push(...page)
    if (page.length < 100) return all
  }
}

function withoutControls(value: string | undefined): string | undefined {
  return value?.replaceAll('\0', '')
}

/** Known mistakes of adapters, each with a part of the title of the case that has to fail. */
export const lifecycleMutants: Record<string, [LifecycleMutation, string]> = {
  'consumeOnce that drops the note': [
    (sound) => ({ consumeOnce: (id) => sound.consumeOnce(id) }),
    'keeps the note of the one that consumed',
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
  'a list with the oldest first': [
    (sound) => ({
      async list(lookUp, limit) {
        return (await allOf(sound, lookUp)).reverse().slice(0, limit)
      },
    }),
    'lists the newest first',
  ],
  'a list that knows no limit': [
    (sound) => ({ list: (lookUp) => allOf(sound, lookUp) }),
    'as many as asked for',
  ],
  'a list that pages by the second alone': [
    (sound) => ({
      list: (lookUp, limit, before) =>
        sound.list(lookUp, limit, before && { iat: before.iat, id: '' }),
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
  'a list that takes records out after it was cut': [
    (sound) => ({
      async list({ clientId, ...lookUp }, limit, before) {
        const page = await sound.list(lookUp, limit, before)
        return page.filter((payload) => clientId === undefined || payload.clientId === clientId)
      },
    }),
    'and by several of them',
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
  'a look-up that ignores the client': [
    listing(({ clientId: _, ...rest }) => rest),
    'looks up by account',
  ],
  'a look-up that takes the actor for an account': [
    listing(({ actor, ...rest }) => (actor === undefined ? rest : { accountId: actor, ...rest })),
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
  'a list of records without an account': [
    (sound) => ({
      upsert: (id, payload, ttl) =>
        sound.upsert(id, payload.accountId ? payload : { ...payload, accountId: 'none' }, ttl),
    }),
    'none without an account',
  ],
  'a note whose actor is not looked up': [
    (sound) => ({
      consumeOnce: (id, note) =>
        sound.consumeOnce(id, note && { ...note, actor: note.actor && `${note.actor}?` }),
    }),
    'until a note names another',
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
  'a note without an actor that hides the bound one': [
    (sound) => ({
      async list(lookUp, limit, before) {
        const page = await sound.list(lookUp, limit, before)
        if (lookUp.actor === undefined) return page
        return page.filter(({ note }) => note === undefined || Object(note).actor === lookUp.actor)
      },
    }),
    'until a note names another',
  ],
  'a list that leaves the note and the end out': [
    (sound) => ({
      async list(...args) {
        return (await sound.list(...args)).map(({ note: _, end: __, ...rest }) => rest)
      },
    }),
    'lists what find finds',
  ],
  'a list of what has not ended alone': [
    (sound) => ({
      list: async (...args) => (await sound.list(...args)).filter(({ end }) => !end),
    }),
    'keeps a record ended, listed and its index',
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
  'look-ups that drop NUL characters': [
    listing(({ accountId, actor, clientId }) => ({
      accountId: withoutControls(accountId),
      actor: withoutControls(actor),
      clientId: withoutControls(clientId),
    })),
    'whatever characters they are of',
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
  'endedIndices of what was consumed': [
    (sound) => {
      const used = new Map<string, number[]>()
      return {
        async consumeOnce(id, note) {
          const won = await sound.consumeOnce(id, note)
          const { statusList, statusIndex } = (await sound.find(id)) ?? {}
          const list = String(statusList)
          if (won) used.set(list, [...(used.get(list) ?? []), Number(statusIndex)])
          return won
        },
        endedIndices: async (list) => used.get(list) ?? [],
      }
    },
    'consumed or not, and of nothing else',
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
  'endedIndices that repeats an index': [
    (sound) => ({
      async endedIndices(list) {
        const indices = await sound.endedIndices(list)
        return [...indices, ...indices.slice(0, 1)]
      },
    }),
    'knows the indices of what has ended in a list',
  ],
  'endedIndices that outlive their records': [
    (sound) => {
      const ended = new Map<string, Set<number>>()
      return {
        async endedIndices(list) {
          const known = ended.get(list) ?? new Set()
          ended.set(list, known)
          for (const index of await sound.endedIndices(list)) known.add(index)
          return [...known]
        },
      }
    },
    'knows the indices of what has ended in a list',
  ],
  'endedIndices that miss an index of 0': [
    (sound) => ({
      endedIndices: async (list) => (await sound.endedIndices(list)).filter(Boolean),
    }),
    'knows the indices of what has ended in a list',
  ],
  'endedIndices that stop after a hundred': [
    (sound) => ({
      endedIndices: async (list) => (await sound.endedIndices(list)).slice(0, 100),
    }),
    'three hundred ends',
  ],
}
