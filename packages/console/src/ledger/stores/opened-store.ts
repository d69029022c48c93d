import { Problem, unavailable } from '../../kernel/problem.ts'
import type { AuditStore, RecordWithEntries } from '../store.ts'

/** What rejects with an error of the storage. Every other method rejects with what an answer is made of. */
const WRITES: readonly PropertyKey[] = [
  'addSeal',
  'assertSchema',
  'old',
  'overwriteRemoved',
  'remove',
  'removeSeal',
  'write',
] satisfies (keyof AuditStore)[]

/**
 * A store that is opened at its first use, and again where that failed.
 *
 * @param onClose called before it is closed
 * @param inForce what a permit that is in force is instead
 */
export function openedStore(
  store: AuditStore,
  {
    onClose = () => {},
    inForce = (permit) => permit,
  }: {
    readonly onClose?: () => unknown
    readonly inForce?: (permit: RecordWithEntries) => RecordWithEntries
  } = {},
): AuditStore {
  let opening: Promise<void> | undefined

  async function open(): Promise<void> {
    opening ??= store.open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    await opening
  }

  async function close(): Promise<void> {
    onClose()
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
          const found = await member(...given)
          return name === 'permitsInForce' ? found.map(inForce) : found
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
