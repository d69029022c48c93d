import { rowWordsOf, wordsOf } from 'oidc-provider-impersonation-verify/chain'
import { isAlarmOpen, noticeDueAt, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import type { FiledRow, StoredEntry } from '../../../../src/ledger/store.ts'
import { idOf, T } from '../contract/support.ts'
import {
  aWhile,
  comparePositions,
  findByOwn,
  findInOrder,
  type Mutants,
  type Mutation,
} from './support.ts'

/** Reads the first page where a cursor is malformed. */
const leniently: Mutation = (sound) => ({
  find: (filter, page) =>
    sound.find(filter, page).catch(() => sound.find(filter, { ...page, before: undefined })),
})

export const readingMutants: Mutants = {
  'cursors of which a malformed one means the first page': [leniently, 'refuses a cursor'],
  'cursors of which a malformed one means nothing': [
    (sound) => ({ entries: (page) => sound.entries(page).catch(() => []) }),
    'refuses a cursor',
  ],
  'a malformed cursor that is an error of the storage': [
    (sound) => ({
      timeline: (id, page) =>
        sound.timeline(id, page).catch(() => Promise.reject(new Error('syntax error'))),
    }),
    'refuses a cursor',
  ],
  'entries whose numbers are drawn before they are visible': [
    (sound) => {
      const log: { readonly number: number; readonly entry: StoredEntry }[] = []
      let drawn = 0
      return {
        async append(batch) {
          const gone = await sound.append(batch)
          const numbers = batch.records.map(() => ++drawn)
          await aWhile()
          for (const [index, { entry: _, repeatKey: __, ...record }] of batch.records.entries()) {
            const number = numbers[index] ?? 0
            const more = { cursor: String(number), count: 1, lastTime: undefined }
            log.push({ number, entry: { writer: batch.writer, ...record, ...more } })
          }
          return gone
        },
        entries: async ({ after = '0', limit }) =>
          log
            .filter(({ number }) => number > Number(after))
            .sort((a, b) => a.number - b.number)
            .slice(0, limit)
            .map(({ entry }) => entry),
      }
    },
    'miss no entry of any writer',
  ],
  'a newest that is the first': [
    (sound) => ({ newest: async () => (await sound.entries({ limit: 1 }))[0]?.cursor }),
    'says which entry is the last',
  ],
  'a timeline that always begins at the first entry': [
    (sound) => ({ timeline: (id, { limit }) => sound.timeline(id, { limit }) }),
    'reads the entries of a row',
  ],
  'timelines that always begin at the first entry': [
    (sound) => ({ timelines: (ids, { limit }) => sound.timelines(ids, { limit }) }),
    'reads the entries of several rows',
  ],
  'timelines in the order in which entries were stored': [
    (sound) => ({
      timelines: async (ids, page) =>
        (await sound.timelines(ids, page)).toSorted((a, b) => Number(a.cursor) - Number(b.cursor)),
    }),
    'reads the entries of several rows',
  ],
  'a timeline with the entries of all rows': [
    (sound) => ({ timeline: (_id, page) => sound.entries(page) }),
    'reads the entries of a row',
  ],
  'ids that ignore case': [
    (sound) => ({
      row: async (id) => {
        const { rows } = await sound.find({}, { limit: 1000, now: T })
        return rows.find((row) => row.id.toLowerCase() === id.toLowerCase())
      },
    }),
    'finds no row under an id that is none',
  ],
  'cursors that have to be escaped': [
    (sound) => ({
      entries: async (page) =>
        (await sound.entries({ ...page, after: page.after?.replace('+', '') })).map((entry) => ({
          ...entry,
          cursor: `+${entry.cursor}`,
        })),
    }),
    'that URLs contain as it is',
  ],
  'a list in the order of ids, where times are equal, the other way round': [
    (sound) => findInOrder(sound, (a, b) => a.at - b.at || comparePositions(b, a)),
    'lists rows newest first',
  ],
  'a list in the order of a language': [
    (sound) => findInOrder(sound, (a, b) => a.at - b.at || a.id.localeCompare(b.id)),
    'orders ids as bytes',
  ],
  'a list by the last entry': [
    (sound) => findInOrder(sound, (a, b) => a.lastAt - b.lastAt || comparePositions(a, b)),
    'although rows came and went',
  ],
  'a list in the order in which the rows were stored': [
    (sound) => {
      const order = new Map<string, number>()
      return {
        ...findInOrder(sound, (a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)),
        async append(batch) {
          const gone = await sound.append(batch)
          for (const { row = '' } of batch.records) {
            if (!order.has(row)) order.set(row, order.size)
          }
          return gone
        },
      }
    },
    'moves a row to its place',
  ],
  'row ids without the last': [
    (sound) => ({
      async filedRows(page) {
        const { rows, next } = await sound.filedRows(page)
        return { rows: next === undefined ? rows.slice(0, -1) : rows, next }
      },
    }),
    'tells of every row once by its id',
  ],
  'filed rows without their last entry': [
    (sound) => ({
      async filedRows(page) {
        const { rows, next } = await sound.filedRows(page)
        return { rows: rows.map((row) => ({ ...row, entries: row.entries.slice(0, -1) })), next }
      },
    }),
    'tells of every row once by its id',
  ],
  'filed rows of which the first is the only one': [
    (sound) => ({ filedRows: ({ only: _, ...page }) => sound.filedRows(page) }),
    'tells of every row once by its id',
  ],
  'row ids of which every page is the first': [
    (sound) => ({
      async filedRows({ limit }) {
        const { rows } = await sound.filedRows({ limit })
        return { rows, next: undefined }
      },
    }),
    'tells of every row once by its id',
  ],
  'row ids of which each page begins with the last one': [
    (sound) => {
      let last: FiledRow | undefined
      return {
        async filedRows(page) {
          const { rows, next } = await sound.filedRows(page)
          const again = page.after !== undefined && last ? [last, ...rows] : rows
          last = rows.at(-1)
          return { rows: again, next }
        },
      }
    },
    'tells of every row once by its id',
  ],
  'pages that are counted': [
    (sound) => ({
      async find(filter, { before = `0.${idOf('x')}`, limit, now }) {
        const start = Number(before.split('.')[0])
        const { rows } = await sound.find(filter, { limit: 1e9, now })
        const next = start + limit < rows.length ? `${start + limit}.${idOf('x')}` : undefined
        return { rows: rows.slice(start, start + limit), next }
      },
    }),
    'although rows came and went',
  ],
  'a next page where there is none': [
    (sound) => ({
      async find(filter, page) {
        const { rows, next } = await sound.find(filter, page)
        const last = rows.length === page.limit ? rows.at(-1) : undefined
        return { rows, next: next ?? (last && `${last.at}.${last.id}`) }
      },
    }),
    'exactly where there is none',
  ],
  'a filter that is applied after the page was cut': [
    (sound) => ({
      async find({ operator, ...filter }, page) {
        const { rows, next } = await sound.find(filter, page)
        const isOf = (id?: string) => operator === undefined || id === operator
        return { rows: rows.filter((row) => isOf(row.operator?.id)), next }
      },
    }),
    'finds by any filters together',
  ],
  'a from that is not included': [
    findByOwn('from', (from, { at }) => at > from),
    'finds rows of a range',
  ],
  'a to that is included': [findByOwn('to', (to, { at }) => at <= to), 'finds rows of a range'],
  'an operator in any case': [
    findByOwn('operator', (id, { operator }) => operator?.id.toLowerCase() === id.toLowerCase()),
    'by the whole id, with its case',
  ],
  'an empty operator that means any': [
    findByOwn('operator', (id, { operator }) => id === '' || operator?.id === id),
    'by the whole id, with its case',
  ],
  'a customer by a part of the id': [
    findByOwn('customer', (id, { customer }) => customer?.id.includes(id) === true),
    'by the whole id, with its case',
  ],
  'a ticket in its case': [
    findByOwn('ticket', (number, { ticket }) => ticket === number),
    'in any case',
  ],
  'a ticket by its beginning': [
    findByOwn(
      'ticket',
      (number, { ticket }) => ticket?.toLowerCase().startsWith(number.toLowerCase()) === true,
    ),
    'by the whole number',
  ],
  'an outcome that was true when it was stored': [
    findByOwn('outcome', (outcome, row) => outcomeOf(row, row.lastAt) === outcome),
    'each outcome, which time changes',
  ],
  'an alarm that is open until an acknowledgement that is later': [
    findByOwn('alarm', (alarm, row) => {
      if (alarm === 'objection') return row.objection !== undefined
      if (alarm === 'any') return row.alarm !== undefined
      return (row.alarm?.at ?? 0) > (row.acknowledged?.at ?? 0)
    }),
    'whose alarm no lead has seen',
  ],
  'any alarm that has to be open': [
    findByOwn('alarm', (_, row) => isAlarmOpen(row)),
    'whose alarm no lead has seen',
  ],
  'the oldest first that are the newest': [
    (sound) => ({ find: (filter, { oldestFirst: _, ...page }) => sound.find(filter, page) }),
    'finds the oldest first',
  ],
  'the oldest first of each page of the newest': [
    (sound) => ({
      async find(filter, { oldestFirst, ...page }) {
        const { rows, next } = await sound.find(filter, page)
        return { rows: oldestFirst ? rows.toReversed() : rows, next }
      },
    }),
    'finds the oldest first',
  ],
  'notices that are due until all is told': [
    findByOwn('noticeDueBefore', (_, { notice }) => (notice?.settled.length ?? 2) < 2),
    'whose customer is to be told something',
  ],
  'notices that are due while another process tells them': [
    findByOwn('noticeDueBefore', (time, { notice, ...row }) => {
      const unclaimed = notice && { ...notice, last: undefined }
      return (noticeDueAt({ ...row, notice: unclaimed }) ?? time) < time
    }),
    'whose customer is to be told something',
  ],
  'every review as an emergency': [
    findByOwn('unapproved', (_, { review }) => review !== undefined),
    'nothing that a rule wants to be looked at for other reasons',
  ],
  'a hold that is never released': [
    findByOwn('held', (_, { hold }) => hold !== undefined),
    'no more when they are released',
  ],
  'a search for one of several words': [
    findByOwn('text', (text, row) =>
      wordsOf(text).some((word) => rowWordsOf(row).some((each) => each.startsWith(word))),
    ),
    'rows that have all words',
  ],
  'a search that finds inside of words': [
    findByOwn('text', (text, row) =>
      wordsOf(text).every((word) => rowWordsOf(row).some((each) => each.includes(word))),
    ),
    'rows that have all words',
  ],
  'a text in its case': [
    findByOwn('text', (text, row) => JSON.stringify(row).includes(text)),
    'rows that have all words',
  ],
  'a text that is found in any member': [
    findByOwn('text', (text, row) =>
      JSON.stringify(row).toLowerCase().includes(text.toLowerCase()),
    ),
    'rows that have all words',
  ],
  'a text whose case matters beyond ASCII': [
    findByOwn('text', (text, { reason = '' }) => {
      const lower = (of: string) => of.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
      return lower(reason).includes(lower(text))
    }),
    'letters of all languages',
  ],
  'a text that is found in what stands side by side': [
    findByOwn('text', (text, { customer, operator, ...row }) => {
      const texts = [customer?.id, customer?.name, customer?.email, operator?.id, operator?.name]
      const all = [...texts, operator?.email, row.id, row.jti, row.ticket, row.reason]
      return all.join('').toLowerCase().includes(text.toLowerCase())
    }),
    'rows that have all words',
  ],
  'a count without an end': [
    (sound) => ({
      async countNewer(filter, than, now) {
        const { rows } = await sound.find(filter, { limit: 1e9, now })
        return { count: rows.filter((row) => comparePositions(row, than) > 0).length, more: false }
      },
    }),
    'at most 1000',
  ],
  'a count without the filter': [
    (sound) => ({ countNewer: (_filter, than, now) => sound.countNewer({}, than, now) }),
    'counts the rows that are newer and match',
  ],
  'a count that says nothing of more': [
    (sound) => ({
      async countNewer(filter, than, now) {
        return { ...(await sound.countNewer(filter, than, now)), more: false }
      },
    }),
    'at most 1000',
  ],
  'a count with the row itself': [
    (sound) => ({
      countNewer: (filter, { at }, now) => sound.countNewer(filter, { at, id: '' }, now),
    }),
    'counts the rows that are newer and match',
  ],
}
