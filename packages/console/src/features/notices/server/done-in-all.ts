import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore } from '../../../ledger/store.ts'
import { type Done, type WhatWasDone, whatWasDone } from '../../../web/done.ts'
import type { UseInWords } from '../../../web/use-words.ts'

/** What was done in several impersonations, as if they were one. */
export async function doneInAll(
  store: Pick<AuditStore, 'timeline'>,
  rows: readonly AuditRow[],
  describe: UseInWords | undefined,
  language: string,
): Promise<WhatWasDone> {
  const did = new Map<string, Done>()
  const more = { reads: 0, changes: 0, refused: 0 }
  for (const row of rows) {
    const done = await whatWasDone(store, row, describe, language)
    for (const each of done.did) {
      const key = `${each.refused} ${each.text}`
      const { count = 0, at = 0 } = did.get(key) ?? {}
      did.set(key, { ...each, count: each.count + count, at: Math.max(each.at, at) })
    }
    more.reads += done.more?.reads ?? 0
    more.changes += done.more?.changes ?? 0
    more.refused += done.more?.refused ?? 0
  }
  return { did: [...did.values()], more }
}
