import type { StorageCpu, StorageUse } from './storages/storage.ts'

/** What one request costs the storage. */
export interface RequestUse {
  /** Processor time of the storage server, in microseconds. */
  readonly storageCpu: StorageCpu
  /** Statements; absent where there are none. */
  readonly statements: number | undefined
}

/** What the storage did between two readings, for one of `count` requests. */
export function useSince(before: StorageUse, after: StorageUse, count: number): RequestUse {
  const taken = (name: 'common' | 'own') => calculate((a, b) => a - b, after[name], before[name])
  const cpu = calculate((a, b) => (a + b) / count, taken('own'), taken('common'))
  const { statements } = after
  return {
    storageCpu: cpu,
    statements:
      statements === undefined ? undefined : (statements - (before.statements ?? 0)) / count,
  }
}

/** What several processes on one storage did together: what works for all of them counts once. */
export function together(uses: readonly StorageUse[]): StorageUse {
  const [first] = uses
  if (!first) throw new Error('no process')
  return {
    own: uses.map(({ own }) => own).reduce((a, b) => calculate((x, y) => x + y, a, b)),
    common: first.common,
    statements:
      first.statements === undefined
        ? undefined
        : uses.reduce((sum, { statements = 0 }) => sum + statements, 0),
  }
}

/** What is not known for one of them is not known for both. */
function calculate(
  combine: (a: number, b: number) => number,
  a: StorageCpu,
  b: StorageCpu,
): StorageCpu {
  if (typeof a === 'number' && typeof b === 'number') return combine(a, b)
  return typeof a === 'number' ? b : a
}
