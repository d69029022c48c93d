import type { AuditStore } from '../store.ts'

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

  return {
    keepFor: store.keepFor,
    opened,
    open: opened,
    append: (batch) => use(() => store.append(batch)),
    find: (filter, page) => use(() => store.find(filter, page)),
    countNewer: (filter, than, now) => use(() => store.countNewer(filter, than, now)),
    row: (id) => use(() => store.row(id)),
    rows: (ids) => use(() => store.rows(ids)),
    filedRows: (page) => use(() => store.filedRows(page)),
    timeline: (id, page) => use(() => store.timeline(id, page)),
    timelines: (ids, page) => use(() => store.timelines(ids, page)),
    entries: (page) => use(() => store.entries(page)),
    newest: () => use(() => store.newest()),
    heads: () => use(() => store.heads()),
    remove: (before, limit) => use(() => store.remove(before, limit)),
    removeRow: (id, mayGo) => use(() => store.removeRow(id, mayGo)),
    overwriteRemoved: () => use(() => store.overwriteRemoved()),
    removed: () => use(() => store.removed()),
    keepCheckpoint: (jws, time) => use(() => store.keepCheckpoint(jws, time)),
    checkpoints: (limit) => use(() => store.checkpoints(limit)),
    decide: (decision) => use(() => store.decide(decision)),
    removePermit: (id, mayGo) => use(() => store.removePermit(id, mayGo)),
    permit: (id) => use(() => store.permit(id)),
    slotHolder: (slot) => use(() => store.slotHolder(slot)),
    filedPermits: (page) => use(() => store.filedPermits(page)),
    permits: (filter, page) => use(() => store.permits(filter, page)),
    async close() {
      await opening?.catch(() => {})
      await store.close()
    },
  }
}
