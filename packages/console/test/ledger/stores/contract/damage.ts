import assert from 'node:assert/strict'
import { expectSetAside } from '../../recording/expect-set-aside.ts'
import type { AuditCase } from './audit-case.ts'
import { assertHas, idOf, issued, put, rejection, T } from './support.ts'

const REFUSED = { code: 'ERR_AUDIT_SCHEMA' }

/** A store after somebody changed its storage. */
export function damageCases(changes: Readonly<Record<string, string>>): readonly AuditCase[] {
  const refusals = Object.entries(changes).map(
    ([what, sql]): AuditCase => ({
      title: `refuses ${what}, when it is opened and before an export`,
      async run({ store, run, another }) {
        await put(store, issued('a', T))
        await store.assertSchema()
        await run(sql)
        assertHas(await rejection(store.assertSchema()), REFUSED)
        assertHas(await rejection(another()), REFUSED)
      },
    }),
  )
  return [
    ...refusals,
    {
      title: 'I17: sets aside what belongs to a row that was damaged, and stores what comes after',
      async run({ store, run }) {
        await put(store, issued('a', T))
        await run(`UPDATE impersonation_audit_impersonation SET data = '{"id":"${idOf('a')}"}'`)
        await expectSetAside(store)
      },
    },
    {
      title: 'has columns that are made of the row, and cannot be written',
      async run({ store, run }) {
        await put(store, issued('a', T))
        const writing = (async () =>
          run("UPDATE impersonation_audit_impersonation SET customer = 'bea'"))()
        assert.match(String(await rejection(writing)), /generated column|updated to DEFAULT/)
      },
    },
  ]
}
