import assert from 'node:assert/strict'
import { isUnstorable } from 'oidc-provider-impersonation-console/audit/contract'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { AuditCase } from './audit-case.ts'
import {
  assertHas,
  assertSame,
  assertWholeChains,
  decoded,
  ended,
  idOf,
  issued,
  put,
  readOn,
  started,
  T,
  used,
  writer,
} from './support.ts'

const late = (entry: AuditEntry): AuditEntry => ({ ...entry, afterRestart: true })

export const restartingCases: readonly AuditCase[] = [
  {
    title: 'stores what was missing once, whichever of several processes writes it first',
    async run({ store, another }) {
      const stores = [store, await another(), await another()]
      const missing = ['a', 'b', 'c'].flatMap((name) => [
        late(issued(name, T)),
        late(started(name, T + 1)),
        late(ended(name, T + 2)),
      ])
      await Promise.all(
        stores.map(async (each) => {
          const { write, undo } = writer(each)
          for (const entry of missing) {
            await write(entry).catch((error: unknown) => {
              if (!isUnstorable(error)) throw error
              undo()
            })
          }
          // The chain goes on from what is stored.
          await write(used('z', T))
        }),
      )
      const stored = decoded(await readOn(store)).filter((entry) => entry?.afterRestart)
      const told = stored.map((entry) => `${entry?.id} ${entry?.event}`)
      assertSame(
        told,
        missing.map(({ id, event }) => `${id} ${event}`),
      )
      assert.equal(new Set(told).size, told.length)
      await assertWholeChains(store)
      assertHas(await store.row(idOf('a')), { askedAt: T, startedAt: T + 1 })
    },
  },
  {
    title: 'refuses what is not missing, and keeps nothing of it',
    async run({ store }) {
      await put(store, issued('a', T), used('a', T + 5))
      const { write, undo, next } = writer(store)
      const known = await write(late(issued('a', T))).catch((error: unknown) => error)
      assert.equal(isUnstorable(known), true)
      undo()
      assert.equal((await readOn(store)).length, 2)
      // A request proves a start; its entry is missing all the same.
      const batch = next([late(started('a', T + 1))])
      await store.append(batch)
      // As after an answer that was lost.
      await store.append(batch)
      assert.equal((await readOn(store)).length, 3)
      assertHas(await store.row(idOf('a')), { startedAt: T + 1 })
      await assertWholeChains(store)
    },
  },
]
