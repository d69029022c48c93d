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

/** The slot of a sentence: `{name}`. */
export const SLOT = /\{(\w+)\}/g

/** Fills the slots of a sentence. A slot that has no value stays. */
export function fill(
  sentence: string,
  slots: Readonly<Record<string, string | number>>,
  shown: (value: string | number) => string = String,
): string {
  return sentence.replaceAll(SLOT, (slot, name) => {
    const value = slots[name]
    return value === undefined ? slot : shown(value)
  })
}

/** The form of a sentence for this number. */
export function formOf(plural: Plural, count: number, rules: Intl.PluralRules): string {
  return plural[`=${count}`] ?? plural[rules.select(count)] ?? plural.other
}
