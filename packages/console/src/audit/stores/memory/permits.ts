import type { StoredPermit } from 'oidc-provider-impersonation-verify/format'
import type { Decision, PermitStore } from '../../permit-store.ts'
import { comparePositions, parseRowCursor, rowCursor } from '../cursor.ts'
import { isUpToDate, permitMatcher } from '../permit-record.ts'

/** The permits of a memory audit. */
export class Permits {
  readonly #permits = new Map<string, StoredPermit>()
  /** The ids by slot, in the order in which they were stored. */
  readonly #bySlot = new Map<string, string[]>()

  get(id: string): StoredPermit | undefined {
    const permit = this.#permits.get(id)
    return permit && { ...permit }
  }

  slotHolder(slot: string): StoredPermit | undefined {
    const id = this.#bySlot.get(slot)?.at(-1)
    return id === undefined ? undefined : this.get(id)
  }

  isUpToDate(decision: Decision): boolean {
    const { id, slot } = decision.permit
    return isUpToDate(
      decision,
      this.get(id),
      slot === undefined ? undefined : this.slotHolder(slot),
    )
  }

  keep(permit: StoredPermit): void {
    const { id, slot } = permit
    const isNew = !this.#permits.has(id)
    this.#permits.set(id, { ...permit })
    if (isNew && slot !== undefined) {
      this.#bySlot.set(slot, [...(this.#bySlot.get(slot) ?? []), id])
    }
  }

  delete(id: string): void {
    const slot = this.#permits.get(id)?.slot
    this.#permits.delete(id)
    if (slot === undefined) return
    const left = (this.#bySlot.get(slot) ?? []).filter((each) => each !== id)
    if (left.length > 0) this.#bySlot.set(slot, left)
    else this.#bySlot.delete(slot)
  }

  async find(...[filter, { before, limit }]: Parameters<PermitStore['permits']>) {
    const after = before === undefined ? undefined : parseRowCursor(before)
    const found = [...this.#permits.values()]
      .filter(permitMatcher(filter))
      .filter((permit) => !after || comparePositions(permit, after) < 0)
      .sort((a, b) => comparePositions(b, a))
    const permits = found.slice(0, limit).map((permit) => ({ ...permit }))
    const last = permits.at(-1)
    return { permits, next: found.length > limit && last ? rowCursor(last) : undefined }
  }

  /** The ids of those that are over before this time, at most `limit`, the oldest first. */
  overBefore(time: number, limit: number): string[] {
    return [...this.#permits.values()]
      .flatMap(({ id, overAt = Number.POSITIVE_INFINITY }) =>
        overAt < time ? { id, at: overAt } : [],
      )
      .sort((a, b) => comparePositions(a, b))
      .slice(0, limit)
      .map(({ id }) => id)
  }

  /** How many there are more than so many. */
  excessOver(capacity: number): number {
    return Math.max(0, this.#permits.size - capacity)
  }
}
