import type { ComponentChildren } from 'preact'

/** Rows that belong together. */
interface RowGroup<Row> {
  readonly key: string
  /** The heading above them, and the actions on all of them. */
  readonly head?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly rows: readonly Row[]
}

/** Rows of 40 px; on phones, each row is a card. The first column names the row. */
export function Table<Row extends { id: string }, Name extends string>(props: {
  label: string
  /** The words of the columns. */
  names: Readonly<Record<Name, string>>
  /** The columns in their order. One that is false is not there. */
  cells: { readonly [N in Name]?: ((row: Row) => ComponentChildren) | false }
  /** Columns whose numbers stand at the right. */
  numeric?: readonly NoInfer<Name>[]
  rows?: readonly Row[]
  groups?: readonly RowGroup<Row>[]
}) {
  const { label, names, cells, numeric = [], rows = [], groups = [{ key: '', rows }] } = props
  const columns = (Object.keys(cells) as Name[]).flatMap((name) => {
    const cell: ((row: Row) => ComponentChildren) | false | undefined = cells[name]
    const kind = numeric.includes(name) ? 'numeric' : undefined
    return cell ? [{ name: names[name], cell, kind }] : []
  })
  const isOneRow = groups.flatMap(({ rows }) => rows).length <= 1
  return (
    <table class={isOneRow ? 'table one-row' : 'table'} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, kind }) => (
            <th key={name} scope="col" class={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {groups.map(({ key, head, actions, rows }) => (
        <tbody key={key}>
          {head && (
            <tr class="group-head">
              <th scope="rowgroup" colSpan={2}>
                {head}
              </th>
              <td colSpan={columns.length - 2}>
                <div class="actions">{actions}</div>
              </td>
            </tr>
          )}
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
