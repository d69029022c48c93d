/** Markup with every value escaped. Only {@link html} makes it. */
export class Html extends String {}

type Value = string | number | Html | readonly Html[] | undefined

/** Makes markup from a template. Escapes every value that is not markup itself. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(escapeValue)))
}

function escapeValue(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return `${value}`
  if (Array.isArray(value)) return value.join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
