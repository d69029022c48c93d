import { Problem, unavailable } from '../../kernel/problem.ts'
import type { AuditStore } from '../store.ts'

/** Methods that reject with an error of the storage. Every other method rejects with a problem that is answered. */
const WRITES: readonly PropertyKey[] = [
  'addSeal',
  'assertSchema',
  'old',
  'overwriteRemoved',
  'remove',
  'removeSeal',
  'write',
] satisfies (keyof AuditStore)[]

/** Opens a store at its first use, and again if that failed. */
export function openedStore(store: AuditStore): AuditStore {
  let opening: Promise<void> | undefined

  async function open(): Promise<void> {
    opening ??= store.open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    await opening
  }

  async function close(): Promise<void> {
    await opening?.catch(() => {})
    await store.close()
  }

  const opened: AuditStore = new Proxy(store, {
    get(_, name) {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(store, name)
      if (typeof member !== 'function' || name in own) return member
      return async (...given: unknown[]) => {
        try {
          await open()
          return await member(...given)
        } catch (error) {
          const isTold = WRITES.includes(name) || error instanceof Problem
          throw isTold ? error : unavailable('the audit cannot be read now', error)
        }
      }
    },
  })
  const own = { open, close, deadlineIn: store.deadlineIn }
  return opened
}
