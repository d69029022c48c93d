import type { RemovedFrom } from 'oidc-provider-impersonation-verify/format'
import { numberIn, type ResultRow, textIn } from '../stored-columns.ts'
import type { Steps } from './dialect.ts'
import { query } from './query.ts'
import type { statementsOf } from './statements.ts'

/** Removed entries of one writer, one after the other. */
interface Run {
  readonly writer: string
  readonly first: number
  readonly last: number
}

type Statements = Pick<
  ReturnType<typeof statementsOf>,
  'dropRemoved' | 'removedBeside' | 'removeEntries' | 'writeRemoved'
>

/**
 * Keeps which entries were removed, as runs: a checkpoint says it again and again, and must not read what is
 * left for it. An entry is removed once.
 *
 * @param found the writers and sequences of what was removed in this transaction
 */
export function* addRemoved(
  { dropRemoved, removedBeside, writeRemoved }: Statements,
  found: readonly ResultRow[],
): Steps<void> {
  if (found.length === 0) return
  const fresh = mergedRuns(
    found.map((columns) => {
      const sequence = numberIn(columns, 'sequence')
      return { writer: textIn(columns, 'writer'), first: sequence, last: sequence }
    }),
  )
  const ends = fresh.map(({ writer, first, last }) => {
    return { writer, before: first - 1, after: last + 1 }
  })
  const edges = JSON.stringify(ends)
  const beside = (yield [query(removedBeside, edges, edges)]).map(runIn)
  if (beside.length > 0) yield [query(dropRemoved, JSON.stringify(columnsOf(beside)))]
  yield [query(writeRemoved, JSON.stringify(columnsOf(mergedRuns([...beside, ...fresh]))))]
}

/**
 * Removes a row or a permit with its entries, where it may go.
 *
 * @param locked finds it, and keeps it as it is
 * @param remove takes its id
 */
export function* removeOne(
  statements: Statements,
  { id, locked, remove }: { readonly id: string; readonly locked: string; readonly remove: string },
  mayGo: (found: ResultRow) => boolean,
): Steps<boolean> {
  const ids = JSON.stringify([id])
  const [found] = yield [query(locked, ids)]
  if (!found || !mayGo(found)) return false
  yield [query(remove, ids)]
  yield* addRemoved(statements, yield [query(statements.removeEntries, ids)])
  return true
}

/** @param found the runs of all writers, in their order */
export function removedFrom(found: readonly ResultRow[]): RemovedFrom[] {
  const all: { writer: string; upTo: number; except: (readonly [number, number])[] }[] = []
  for (const { writer, first, last } of mergedRuns(found.map(runIn))) {
    let of = all.at(-1)
    if (of?.writer !== writer) {
      of = { writer, upTo: 0, except: [] }
      all.push(of)
    }
    if (first > of.upTo + 1) of.except.push([of.upTo + 1, first - 1])
    of.upTo = last
  }
  return all
}

function runIn(columns: ResultRow): Run {
  return {
    writer: textIn(columns, 'writer'),
    first: numberIn(columns, 'first_sequence'),
    last: numberIn(columns, 'last_sequence'),
  }
}

const columnsOf = (runs: readonly Run[]) =>
  runs.map(({ writer, first, last }) => {
    return { writer, first_sequence: first, last_sequence: last }
  })

/** By writer and sequence; those that touch each other are one. */
function mergedRuns(runs: readonly Run[]): Run[] {
  const merged: Run[] = []
  const inOrder = runs.toSorted((a, b) => {
    return a.writer === b.writer ? a.first - b.first : a.writer < b.writer ? -1 : 1
  })
  for (const run of inOrder) {
    const before = merged.at(-1)
    const touches = before?.writer === run.writer && run.first <= before.last + 1
    if (before && touches) {
      merged[merged.length - 1] = { ...before, last: Math.max(before.last, run.last) }
    } else merged.push(run)
  }
  return merged
}
