import type { ComponentChildren } from 'preact'

export interface TableColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  readonly numeric?: boolean
}

/** Rows that belong together. */
export interface RowGroup<Row> {
  readonly key: string
  /** The heading above them, and the actions on all of them. */
  readonly head?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly rows: readonly Row[]
}

/** Rows of 40 px; on phones, each row is a card. The first column names the row. */
export function Table<Row>(props: {
  label: string
  /** One that is false is not there. */
  columns: readonly (TableColumn<Row> | false)[]
  rows?: readonly Row[]
  groups?: readonly RowGroup<Row>[]
  keyOf: (row: Row) => string
}) {
  const { label, rows = [], groups = [{ key: '', rows }], keyOf } = props
  const columns = props.columns.filter((column) => column !== false)
  const isOneRow = groups.flatMap(({ rows }) => rows).length <= 1
  return (
    <table class={isOneRow ? 'table one-row' : 'table'} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, numeric }) => (
            <th key={name} scope="col" class={numeric ? 'numeric' : undefined}>
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
              <td colSpan={columns.length - 2}>{actions}</td>
            </tr>
          )}
          {rows.map((row) => (
            <tr key={keyOf(row)} id={`row-${keyOf(row)}`}>
              {columns.map(({ name, cell, numeric }, index) =>
                index === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} data-label={name} class={numeric ? 'numeric' : undefined}>
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
