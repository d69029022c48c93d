import type { ComponentChildren } from 'preact'
import { de } from '../../words/de.ts'
import type { Language, Plural, Words } from '../../words/index.ts'
import { en } from '../../words/words.ts'

/** Each language has a script of its own: the bundler says which one this is. */
declare const PAGE_LANGUAGE: Language

/** The language of the page: the server chose it. */
export const language: Language = PAGE_LANGUAGE

/** The language of the page, as the person writes dates and numbers in it: `en-GB`. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language

/** The strings of the page. */
export const words: Words = PAGE_LANGUAGE === 'de' ? de : en

const plurals = new Intl.PluralRules(language)
const numbers = new Intl.NumberFormat(locale)

/** U+2068 and U+2069 keep a value that turns the direction of writing to itself. */
const isolated = (value: string | number) =>
  typeof value === 'number' ? numbers.format(value) : `\u2068${value}\u2069`

/** A string of the catalogue with its slots filled, for attributes, titles and messages. */
export function text(of: string, slots: Readonly<Record<string, string | number>> = {}): string {
  return of.replaceAll(/\{(\w+)\}/g, (slot, name) => {
    const value = slots[name]
    return value === undefined ? slot : isolated(value)
  })
}

/** As {@link text}, where a number decides: it fills the slot {count}. */
export function counted(of: Plural, count: number, slots: Record<string, string | number> = {}) {
  const form = plurals.select(count) === 'one' ? of.one : of.other
  return text(form, { ...slots, count })
}

/** A string of the catalogue with elements in its slots: `<Text of={…} name={<b>…</b>} />`. */
export function Text({ of, ...slots }: { of: string } & Record<string, ComponentChildren>) {
  const parts = of.split(/\{(\w+)\}/)
  return <>{parts.map((part, index) => (index % 2 ? <bdi>{slots[part]}</bdi> : part))}</>
}
