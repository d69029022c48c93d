/** Embeddings, overrides and isolates: they change the direction of the text around them. */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g
/** A character that can be seen: no control, no space, no combining mark alone. */
const VISIBLE_CHARACTER = /[^\p{C}\p{Z}\p{M}]/u
const ISOLATED_TEXT = /\u2068([^\u2069]*)\u2069/
/** Longer names are cut to some lines on the screen, so that the banner does not cover the page. */
const MAX_NAME_LENGTH = 60

/** The first value that can be seen, between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
export function isolated(...values: unknown[]): string | undefined {
  const found = values.find((value) => typeof value === 'string' && VISIBLE_CHARACTER.test(value))
  return found === undefined
    ? undefined
    : `\u2068${String(found).replace(DIRECTION_CONTROLS, '')}\u2069`
}

/** The value alone, for texts that isolate it themselves. */
export function plain(value: string): string {
  return value.replace(DIRECTION_CONTROLS, '')
}

/** Text in which each isolated value is an element of its own. */
export function withNames(text: string): (string | HTMLElement)[] {
  return text.split(ISOLATED_TEXT).map((piece, index) => (index % 2 === 0 ? piece : named(piece)))
}

function named(value: string): HTMLElement {
  const element = document.createElement('bdi')
  element.textContent = value
  element.part.add('name')
  if (value.length > MAX_NAME_LENGTH) {
    element.className = 'long'
    element.title = value
  }
  return element
}
