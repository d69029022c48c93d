import assert from 'node:assert/strict'
import type { AuditStore, DayCounts } from 'oidc-provider-impersonation-console'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { AuditCase } from './audit-case.ts'
import { decide, permitOf } from './permits.ts'
import { act, ended, issued, put, refused, started, T } from './support.ts'

const DAY_MS = 86_400_000
const NOW = T + 3 * DAY_MS

/** What is counted from the day of `T` to the third day after it. */
const counted = (store: AuditStore, from = T, to = NOW, now = NOW) =>
  store.countByDay({ from, to, now })

const day = (at: number, more: Partial<DayCounts> = {}): DayCounts => ({
  ...{ day: at, starts: {}, unapproved: 0, refused: 0, objected: 0 },
  ...more,
})

/** The entries of one that was asked for at a time, and began a minute later. */
const begun = (name: string, time: number, more: Partial<AuditEntry> = {}) => [
  issued(name, time, more),
  started(name, time + 60_000, more),
]

export const dayCases: readonly AuditCase[] = [
  {
    title: 'counts what began on a day, by how it stands',
    async run({ store }) {
      const causes = ['requested', 'user', 'operator_signed_out', 'replay', 'policy'] as const
      for (const cause of causes) {
        const end = { at: Math.floor(T / 1000) + 90, cause }
        await put(store, ...begun(cause, T), ended(cause, T + 90_000, { end }))
      }
      await put(store, ...begun('a', T), ...begun('b', T + 1))
      await put(store, ...begun('c', NOW - 120_000))
      // Neither was ever a start.
      await put(store, issued('d', T), issued('e', NOW - 1000))
      await put(store, issued('f', T), ended('f', T + 1, { end: { at: T / 1000, cause: 'user' } }))
      assert.deepEqual(await counted(store), [
        day(T, {
          starts: {
            ...{ requested: 1, user: 1, operator_signed_out: 1, replay: 1, policy: 1 },
            expired: 2,
          },
        }),
        day(NOW - DAY_MS, { starts: { running: 1 } }),
      ])
      const later = await counted(store, T, NOW, NOW + DAY_MS)
      assert.deepEqual(later.at(-1)?.starts, { expired: 1 })
    },
  },
  {
    title: 'counts each thing on its own day of UTC: the first moment is of it, the last is not',
    async run({ store }) {
      await put(store, ...begun('a', T - 1), ...begun('b', T), ...begun('c', T + DAY_MS - 1))
      await put(store, ...begun('d', T + DAY_MS))
      const found = await counted(store, T - DAY_MS, T + 2 * DAY_MS)
      const expired = found.map((each) => [each.day, each.starts.expired])
      assert.deepEqual(expired, [
        [T - DAY_MS, 1],
        [T, 2],
        [T + DAY_MS, 1],
      ])
      assert.deepEqual(await counted(store, T, T + DAY_MS), found.slice(1, 2))
      assert.deepEqual(await counted(store, NOW, NOW + DAY_MS), [])
    },
  },
  {
    title: 'counts what nobody approved, of what began',
    async run({ store }) {
      await put(store, ...begun('a', T, { review: 'emergency' }), ...begun('b', T))
      await put(store, ...begun('c', T, { review: 'after a refusal by Grace; ours' }))
      await put(store, ...begun('d', T, { review: 'a look at random' }))
      await put(store, issued('e', T, { review: 'emergency' }))
      assert.deepEqual(await counted(store), [day(T, { starts: { expired: 4 }, unapproved: 2 })])
    },
  },
  {
    title:
      'counts refused requests on their day, and objections on the day on which they were made',
    async run({ store }) {
      await put(store, refused(T), refused(T + 1, { userId: 'ada' }))
      // A person refused it, later.
      await decide(store, permitOf('p', { at: T + 5 }))
      await decide(store, permitOf('p', { at: T + 5, version: 2, state: 'refused' }))
      await decide(store, permitOf('q', { at: T + 6, state: 'revoked' }))
      await put(store, ...begun('a', T), act('objected', 'a', T + DAY_MS, { note: 'not me' }))
      // Said of something that began before.
      await put(store, ...begun('b', T - 40 * DAY_MS), act('objected', 'b', T + DAY_MS + 1))
      assert.deepEqual(await counted(store), [
        day(T, { starts: { expired: 1 }, refused: 3 }),
        day(T + DAY_MS, { objected: 2 }),
      ])
    },
  },
]
