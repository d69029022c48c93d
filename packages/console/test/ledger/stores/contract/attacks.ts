import type { AuditCase } from './audit-case.ts'
import { assertHas, issued, put, rejection, T } from './support.ts'

const REFUSED = { code: 'ERR_AUDIT_SCHEMA' }

/** A case for each attack on the tables. */
export function attackCases(attacks: readonly string[] = []): readonly AuditCase[] {
  return attacks.map((what) => ({
    title: `refuses ${what}, when it is opened and before an export`,
    async run({ store, storage, another }) {
      await put(store, issued('a', T))
      await store.assertSchema()
      await storage.attack?.(what)
      assertHas(await rejection(store.assertSchema()), REFUSED)
      assertHas(await rejection(another()), REFUSED)
    },
  }))
}
