/** Any JWT, also one that the suite has never seen. Its first part is a JSON object. */
const JWT_PATTERN = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g

/** Shorter values are no secrets, and would be found in every text. */
const MIN_SECRET_LENGTH = 6

/** The secrets and tokens of a run, which no report may show. */
export class Redaction {
  readonly #labels = new Map<string, string>()

  /** @param label what stands in its position, such as `subject token` */
  add(value: unknown, label: string): void {
    if (typeof value !== 'string' || value.length < MIN_SECRET_LENGTH) return
    if (this.#labels.has(value)) return
    const number = this.#labels.size + 1
    for (const form of [value, encodeURIComponent(value)]) {
      this.#labels.set(form, `[${label} ${number}]`)
    }
  }

  apply(text: string): string {
    let shown = text
    const longestFirst = [...this.#labels].sort(([a], [b]) => b.length - a.length)
    for (const [value, label] of longestFirst) shown = shown.replaceAll(value, label)
    return shown.replaceAll(JWT_PATTERN, '[JWT]')
  }
}
