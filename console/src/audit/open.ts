import type { AuditStore } from './store.ts'

/** A store whose methods wait until it is open. */
export interface OpeningStore extends AuditStore {
  /** Resolves when the store is open. Rejects where it cannot be; the next call tries again. */
  open(): Promise<void>
}

/** Opens the store at once. Calls that come at the same time share one attempt. */
export function opening(store: AuditStore): OpeningStore {
  let attempt: Promise<void> | undefined

  function open(): Promise<void> {
    attempt ??= store.open().catch((error: unknown) => {
      attempt = undefined
      throw error
    })
    return attempt
  }

  /** The same method, once the store is open. */
  function later<A extends unknown[], R>(method: (...args: A) => Promise<R>) {
    return async (...args: A): Promise<R> => {
      await open()
      return Reflect.apply(method, store, args)
    }
  }

  // The calls below try again and tell what is wrong.
  open().catch(() => {})
  return {
    keepFor: store.keepFor,
    removesEarly: store.removesEarly,
    open,
    append: later(store.append),
    find: later(store.find),
    countNewer: later(store.countNewer),
    row: later(store.row),
    timeline: later(store.timeline),
    entries: later(store.entries),
    newest: later(store.newest),
    heads: later(store.heads),
    remove: later(store.remove),
    removed: later(store.removed),
    keepCheckpoint: later(store.keepCheckpoint),
    checkpoints: later(store.checkpoints),
    close: () => store.close(),
  }
}
