/** Sentences by key, as in a JSON file of a language. A section has sentences or more sections. */
export interface Sentences {
  readonly [key: string]: string | Sentences | undefined
}

/**
 * A sentence by plural category: `{ one, other }` in English, more in other languages. `'=1'` is for
 * this number alone.
 */
export interface Plural {
  readonly other: string
  readonly [form: string]: string
}

/** The form of a sentence for this number. */
export function formOf(plural: Plural, count: number, rules: Intl.PluralRules): string {
  return plural[`=${count}`] ?? plural[rules.select(count)] ?? plural.other
}
