import { fill, SLOT } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import { formOf, type Plural } from '../../kernel/sentence.ts'
import type { Words } from '../words/words.ts'

/** The server puts the words of a language before the script. */
declare const PAGE: {
  readonly language: string
  readonly words: Omit<Words, 'notices'>
  readonly brand?: { readonly name: string; readonly logo?: string }
}

/** The language of the page: the server chose it. */
export const { language, words, brand } = PAGE

/** The language of the page, as the person writes dates and numbers in it: `en-GB`. */
export const locale =
  navigator.languages.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language

const plurals = new Intl.PluralRules(language)
const numbers = new Intl.NumberFormat(locale)

/** U+2068 and U+2069 keep a value that turns the direction of writing to itself. */
const isolated = (value: string | number) =>
  typeof value === 'number' ? numbers.format(value) : `\u2068${value}\u2069`

/** A string of the catalogue with its slots filled, for attributes, titles and messages. */
export function text(of: string, slots: Readonly<Record<string, string | number>> = {}): string {
  return fill(of, slots, isolated)
}

/** As {@link text}, where a number decides: it fills the slot {count}. */
export function counted(of: Plural, count: number, slots: Record<string, string | number> = {}) {
  return text(formOf(of, count, plurals), { ...slots, count })
}

/** A string of the catalogue with elements in its slots: `<Text of={…} name={<b>…</b>} />`. */
export function Text({ of, ...slots }: { of: string } & Record<string, ComponentChildren>) {
  const parts = of.split(SLOT)
  return <>{parts.map((part, index) => (index % 2 ? <bdi>{slots[part]}</bdi> : part))}</>
}
