/** A map with a maximum size. It drops the entry that was set the longest ago. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxSize: number

  constructor(maxSize: number) {
    super()
    this.#maxSize = maxSize
  }

  /** A key that is set again is the newest. */
  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    const [oldest = key] = this.keys()
    if (this.size > this.#maxSize) this.delete(oldest)
    return this
  }
}
