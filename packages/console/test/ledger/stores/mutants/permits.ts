import type { Decision } from '../../../../src/ledger/batch.ts'
import type { AuditStore } from '../../../../src/ledger/store.ts'
import { aWhile, type Mutants } from './support.ts'

/** What is stored now, as if it had been looked at. */
async function lookedAt(store: AuditStore, { permit }: Decision) {
  const { slot } = permit
  return {
    replaces: (await store.permit(permit.id))?.version ?? 0,
    slotHolder: slot === undefined ? undefined : await store.slotHolder(slot),
  }
}

export const permitMutants: Mutants = {
  'a decision whose version is not compared': [
    (sound) => ({
      decide: async (decision) => {
        const { replaces } = await lookedAt(sound, decision)
        return sound.decide({ ...decision, replaces })
      },
    }),
    'replaces the version that was looked at',
  ],
  'a decision that compares first and writes afterwards': [
    (sound) => ({
      decide: async (decision) => {
        if ((await lookedAt(sound, decision)).replaces !== decision.replaces) return false
        await aWhile()
        const { replaces } = await lookedAt(sound, decision)
        return sound.decide({ ...decision, replaces })
      },
    }),
    'decides once of two callers at the same moment',
  ],
  'a decision whose slot is not compared': [
    (sound) => ({
      decide: async (decision) => {
        const { slotHolder } = await lookedAt(sound, decision)
        return sound.decide({ ...decision, slotHolder })
      },
    }),
    'where the newest of its slot is the one',
  ],
  'a decision that compares the id of the holder, and not its version': [
    (sound) => ({
      decide: async (decision) => {
        const { slotHolder: holder } = await lookedAt(sound, decision)
        const isSame = holder?.id === decision.slotHolder?.id
        return sound.decide(isSame ? { ...decision, slotHolder: holder } : decision)
      },
    }),
    'where the newest of its slot is the one',
  ],
  'permits of which the oldest first are the newest': [
    (sound) => ({ permits: (filter, { oldestFirst: _, ...page }) => sound.permits(filter, page) }),
    'finds permits by what they are',
  ],
  'notices of permits that are due at any time': [
    (sound) => ({
      permits: ({ noticeDueBefore, ...filter }, page) =>
        sound.permits({ ...filter, ...(noticeDueBefore && { noticeDueBefore: 9e15 }) }, page),
    }),
    'finds permits by what they are',
  ],
  'a slot that goes by the time of its permits': [
    (sound) => ({
      async slotHolder(slot) {
        const { permits } = await sound.permits({}, { limit: 1e9 })
        return permits.find((permit) => permit.slot === slot)
      },
    }),
    'where the newest of its slot is the one',
  ],
  'what is in force goes by the time of its permits': [
    (sound) => ({
      async permitsInForce({ slots, granted }) {
        const { permits } = await sound.permits({}, { limit: 1e9 })
        const newest = slots.flatMap((slot) => permits.find((each) => each.slot === slot) ?? [])
        return [...newest, ...(await sound.permitsInForce({ slots: [], granted }))]
      },
    }),
    'finds what is in force',
  ],
  'what is over is in force': [
    (sound) => ({
      permitsInForce: ({ slots, granted }) =>
        sound.permitsInForce({ slots, granted: granted && { ...granted, notOverAt: 0 } }),
    }),
    'finds what is in force',
  ],
  'an entry that is stored although the permit is not': [
    (sound) => ({
      async decide(decision) {
        const isStored = await sound.decide(decision)
        if (!isStored) {
          const records = decision.batch.records.map((record) => ({ ...record, row: undefined }))
          await sound.append({ ...decision.batch, records })
        }
        return isStored
      },
    }),
    'stores a permit and its entry in one step',
  ],
  'a decision that comes again and is refused': [
    (sound) => {
      const done = new Set<string>()
      return {
        async decide(decision) {
          const { writer, number } = decision.batch
          if (done.has(`${writer} ${number}`)) return false
          const isStored = await sound.decide(decision)
          if (isStored) done.add(`${writer} ${number}`)
          return isStored
        },
      }
    },
    'gives the same answer',
  ],
  'a permit that has a row': [
    (sound) => ({
      async decide(decision) {
        const isStored = await sound.decide(decision)
        const number = decision.batch.number + 1
        const repetitions = decision.batch.records.map(({ entry, row }) => ({
          ...{ entry, row, repeatKey: 'none', count: 1, lastTime: entry.timeMs },
        }))
        await sound.append({ ...decision.batch, number, records: [], repetitions })
        return isStored
      },
      async filedRows(page) {
        const { permits } = await sound.permits({}, { limit: 1e9 })
        const { rows, next } = await sound.filedRows(page)
        return {
          rows: [
            ...rows,
            ...permits.map(({ id }) => ({ id, row: undefined, entries: [], isMisfiled: false })),
          ],
          next,
        }
      },
    }),
    'no row of them',
  ],
  'permits that are over and found as if they were not': [
    (sound) => ({
      permits: ({ notOverAt: _, ...filter }, page) => sound.permits(filter, page),
    }),
    'finds permits by what they are',
  ],
  'a permit in force that is removed': [
    (sound) => ({
      decide: (decision) => {
        const { permit } = decision
        const overAt = permit.overAt ?? permit.at
        return sound.decide({ ...decision, permit: { ...permit, overAt } })
      },
    }),
    'and none before its time',
  ],
  'a removal of permits that are over by one version too many': [
    (sound) => ({ remove: (before, limit) => sound.remove(before + 1, limit) }),
    'and none before its time',
  ],
}
