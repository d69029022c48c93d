type SqlValue = number | string | null

/** A statement, or a part of one, with `?` for each value. */
export interface Sql {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Makes SQL of a template. A value becomes `?`, and a part keeps its values. */
export function sql(strings: TemplateStringsArray, ...slots: readonly (Sql | SqlValue)[]): Sql {
  const parts = slots.map((slot) =>
    typeof slot === 'object' && slot !== null ? slot : { text: '?', values: [slot] },
  )
  return {
    text: String.raw({ raw: strings }, ...parts.map(({ text }) => text)),
    values: parts.flatMap(({ values }) => values),
  }
}

/** A part without values, such as the name of a column. */
export const raw = (text: string): Sql => ({ text, values: [] })

export function joined(parts: readonly Sql[], between: string): Sql {
  return {
    text: parts.map(({ text }) => text).join(between),
    values: parts.flatMap(({ values }) => values),
  }
}
