import { Unreadable } from '../../kernel/domain-error.ts'
import type { AuditStore } from '../store.ts'
import { isMalformedCursor } from './cursor.ts'

/** A store that is opened at its first use, and again where that failed. */
export interface OpenedStore extends AuditStore {
  /** Resolves when the store can be used. */
  opened(): Promise<void>
}

export function openedStore(store: AuditStore): OpenedStore {
  let opening: Promise<void> | undefined
  let isOpen = false

  async function opened(): Promise<void> {
    opening ??= store.open().then(
      () => {
        isOpen = true
      },
      (error: unknown) => {
        opening = undefined
        throw error
      },
    )
    await opening
  }

  async function use<T>(ask: () => Promise<T>): Promise<T> {
    if (!isOpen) await opened()
    return ask()
  }

  /** The one place where a storage that fails becomes what an answer is made of. */
  async function read<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await use(ask)
    } catch (error) {
      throw isMalformedCursor(error) || error instanceof Unreadable ? error : new Unreadable(error)
    }
  }

  return {
    ...{ keepFor: store.keepFor, secret: store.secret, opened, open: opened },
    deadlineIn: (withinMs) => store.deadlineIn(withinMs),
    assertSchema: () => use(() => store.assertSchema()),
    write: (batch, deadline) => use(() => store.write(batch, deadline)),
    remove: (removal) => use(() => store.remove(removal)),
    old: (before, limit) => use(() => store.old(before, limit)),
    overwriteRemoved: () => use(() => store.overwriteRemoved()),
    addSeal: (seal) => use(() => store.addSeal(seal)),
    sums: (ids) => read(() => store.sums(ids)),
    find: (filter, page) => read(() => store.find(filter, page)),
    countNewer: (filter, than, now) => read(() => store.countNewer(filter, than, now)),
    row: (id) => read(() => store.row(id)),
    rows: (ids) => read(() => store.rows(ids)),
    timeline: (id, page) => read(() => store.timeline(id, page)),
    timelines: (ids, page) => read(() => store.timelines(ids, page)),
    entries: (page) => read(() => store.entries(page)),
    filed: (page) => read(() => store.filed(page)),
    strays: () => read(() => store.strays()),
    newest: () => read(() => store.newest()),
    sealsAfter: (number, limit) => read(() => store.sealsAfter(number, limit)),
    sealOf: (entry) => read(() => store.sealOf(entry)),
    seals: (limit) => read(() => store.seals(limit)),
    permit: (id) => read(() => store.permit(id)),
    permitsInForce: (wanted) => read(() => store.permitsInForce(wanted)),
    slotHolder: (slot) => read(() => store.slotHolder(slot)),
    permits: (filter, page) => read(() => store.permits(filter, page)),
    async close() {
      await opening?.catch(() => {})
      await store.close()
    },
  }
}
