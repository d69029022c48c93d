import type { ComponentChildren } from 'preact'

/** Makes what a column has of a row. One that is false is not there. */
type Cell<Row> = ((row: Row) => ComponentChildren) | false

/** Rows of 40 px; on phones, each row is a card. The first column names the row. */
export function Table<Row extends { id: string }, Name extends string>(props: {
  label: string
  /** The words of the columns. */
  names: Readonly<Record<Name, string>>
  /** The columns in their order. */
  cells: { readonly [N in Name]?: Cell<Row> }
  /** Columns whose numbers stand at the right. */
  numeric?: readonly NoInfer<Name>[]
  rows: readonly Row[]
  /** Rows that belong together, by a key. The first one makes the heading above them, and the actions on all. */
  group?: {
    readonly of: (row: Row) => string
    readonly head: (row: Row) => ComponentChildren
    readonly actions: (row: Row) => ComponentChildren
  }
}) {
  const { label, names, cells, numeric = [], rows, group } = props
  const groups = Map.groupBy(rows, (row) => group?.of(row))
  const columns = (Object.keys(cells) as Name[]).flatMap((name) => {
    const cell: Cell<Row> | undefined = cells[name]
    const kind = numeric.includes(name) ? 'numeric' : undefined
    return cell ? [{ name: names[name], cell, kind }] : []
  })
  return (
    <table class={rows.length <= 1 ? 'table one-row' : 'table'} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, kind }) => (
            <th key={name} scope="col" class={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {[...groups].map(([key, rows]) => (
        <tbody key={key}>
          {rows.slice(0, group ? 1 : 0).map((first) => (
            <tr key="head" class="group-head">
              <th scope="rowgroup" colSpan={2}>
                {group?.head(first)}
              </th>
              <td colSpan={columns.length - 2}>
                <div class="actions">{group?.actions(first)}</div>
              </td>
            </tr>
          ))}
          {rows.map((row) => (
            <tr key={row.id} id={`row-${row.id}`}>
              {columns.map(({ name, cell, kind }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} data-label={name} class={kind}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  )
}
