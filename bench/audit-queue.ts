import type { Provider } from '../src/index.ts'
import type { Audited } from './process.ts'
import type { AuditEntry, AuditStore } from './storages/storage.ts'

const AUDITED_EVENTS = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.denied',
  'impersonation.replayed',
  'impersonation.ended',
] as const

/** Events that are written at once. */
const BATCH_SIZE = 1000

/** Stores every event of the provider, in batches: what waits while one is written is the next. */
export class AuditQueue {
  readonly #store: AuditStore
  #waiting: AuditEntry[] = []
  #longest = 0
  #writing: Promise<void> | undefined
  #failure: unknown

  constructor(provider: Provider, store: AuditStore) {
    this.#store = store
    for (const name of AUDITED_EVENTS) {
      provider.on(name, (_ctx, event) => {
        this.#waiting.push({ name, event: JSON.stringify(event) })
        this.#longest = Math.max(this.#longest, this.#waiting.length)
        this.#writing ??= this.#write()
      })
    }
  }

  /** Waits until all is written. Rejects where the store has failed. */
  async finish(): Promise<Audited> {
    while (this.#writing) await this.#writing
    if (this.#failure !== undefined) throw this.#failure
    return { stored: await this.#store.count(), longestQueue: this.#longest }
  }

  async #write(): Promise<void> {
    // Never done before it is remembered as under way.
    await Promise.resolve()
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.slice(0, BATCH_SIZE)
        this.#waiting = this.#waiting.slice(BATCH_SIZE)
        await this.#store.append(batch)
      }
    } catch (error) {
      this.#failure ??= error
    } finally {
      this.#writing = undefined
    }
  }
}
