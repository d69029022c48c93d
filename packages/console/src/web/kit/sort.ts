import { go, usePageLocation } from './router.tsx'

/** What a column sorts by. */
export interface ColumnOrder<Row> {
  /** Its name in the address: `?sort=reads`, or `?sort=-reads` for the largest first. */
  readonly as: string
  /** What is not known stands last. */
  readonly by: (row: Row) => number | string | undefined
}

/** The order of the rows, which is in the address; none is the order in which they come. */
export function useSort() {
  const { path, query } = usePageLocation()
  const asked = query.get('sort') ?? ''
  const [column, isDown] = [asked.replace(/^-/, ''), asked.startsWith('-')]
  return {
    column,
    isDown,
    /** Up, down, and as they come. */
    press(as: string) {
      const next = new URLSearchParams(query)
      if (column !== as) next.set('sort', as)
      else if (isDown) next.delete('sort')
      else next.set('sort', `-${as}`)
      go(`${path}${next.size > 0 ? `?${next}` : ''}`, { instead: true })
    },
  }
}

/** The rows in the order that the address asks for. Nothing is asked of the server. */
export function useSorted<Row>(
  columns: readonly { readonly order?: ColumnOrder<Row> }[],
  rows: readonly Row[],
): readonly Row[] {
  const { column, isDown } = useSort()
  const by = columns.find(({ order }) => order?.as === column)?.order?.by
  if (!by) return rows
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    const order =
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : String(a).localeCompare(String(b), undefined, { numeric: true })
    return isDown ? -order : order
  })
}

/** An address of the same list, with the order that it has now. */
export function withSort(address: string, query: URLSearchParams): string {
  const sort = query.get('sort')
  if (sort === null) return address
  return `${address}${address.includes('?') ? '&' : '?'}sort=${encodeURIComponent(sort)}`
}
