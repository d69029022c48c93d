/** How many customers are remembered. */
const MAX_CUSTOMERS_REMEMBERED = 8
/** What one person did not open for this time is forgotten, in milliseconds: 30 days. */
const REMEMBERED_MS = 30 * 86_400_000

interface Recent {
  readonly id: string
  readonly at: number
}

/**
 * The customers whom a person opened last in this browser. Others may use the same machine: it keeps
 * account ids alone, names are loaded again by a person who may see them.
 */
export class Recents {
  readonly #key: string

  /** @param person the account id of the operator */
  constructor(person: string) {
    this.#key = `impersonation-console recents ${person}`
  }

  /** Newest first. */
  get ids(): readonly string[] {
    return this.#read().map(({ id }) => id)
  }

  add(id: string): void {
    const others = this.#read().filter((it) => it.id !== id)
    this.#write([{ id, at: Date.now() }, ...others].slice(0, MAX_CUSTOMERS_REMEMBERED))
  }

  remove(id: string): void {
    this.#write(this.#read().filter((it) => it.id !== id))
  }

  clear(): void {
    this.#write([])
  }

  #read(): readonly Recent[] {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(this.#key) ?? '[]')
      if (!Array.isArray(value)) return []
      const oldest = Date.now() - REMEMBERED_MS
      return value.filter(isRecent).filter(({ at }) => at > oldest)
    } catch {
      // The browser forbids storage, or another page wrote there.
      return []
    }
  }

  #write(recents: readonly Recent[]): void {
    try {
      if (recents.length > 0) localStorage.setItem(this.#key, JSON.stringify(recents))
      else localStorage.removeItem(this.#key)
    } catch {
      // Without storage, there are no recents.
    }
  }
}

function isRecent(value: unknown): value is Recent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'at' in value &&
    typeof value.at === 'number'
  )
}
