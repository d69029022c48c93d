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
    keepFor: store.keepFor,
    opened,
    open: opened,
    assertSchema: () => use(() => store.assertSchema()),
    append: (batch) => use(() => store.append(batch)),
    find: (filter, page) => read(() => store.find(filter, page)),
    countNewer: (filter, than, now) => read(() => store.countNewer(filter, than, now)),
    row: (id) => read(() => store.row(id)),
    rows: (ids) => read(() => store.rows(ids)),
    filedRows: (page) => read(() => store.filedRows(page)),
    timeline: (id, page) => read(() => store.timeline(id, page)),
    timelines: (ids, page) => read(() => store.timelines(ids, page)),
    entries: (page) => read(() => store.entries(page)),
    erasures: (since) => read(() => store.erasures(since)),
    newest: () => read(() => store.newest()),
    heads: () => read(() => store.heads()),
    remove: (before, limit) => use(() => store.remove(before, limit)),
    removeRow: (id, mayGo) => use(() => store.removeRow(id, mayGo)),
    overwriteRemoved: () => use(() => store.overwriteRemoved()),
    removed: () => read(() => store.removed()),
    keepCheckpoint: (jws, time) => use(() => store.keepCheckpoint(jws, time)),
    checkpoints: (limit) => read(() => store.checkpoints(limit)),
    decide: (decision) => use(() => store.decide(decision)),
    removePermit: (id, mayGo) => use(() => store.removePermit(id, mayGo)),
    permit: (id) => read(() => store.permit(id)),
    permitsInForce: (wanted) => read(() => store.permitsInForce(wanted)),
    slotHolder: (slot) => read(() => store.slotHolder(slot)),
    filedPermits: (page) => read(() => store.filedPermits(page)),
    permits: (filter, page) => read(() => store.permits(filter, page)),
    async close() {
      await opening?.catch(() => {})
      await store.close()
    },
  }
}
