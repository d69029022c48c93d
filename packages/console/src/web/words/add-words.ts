import { isPlainObject, SLOT } from 'oidc-provider-impersonation-verify/format'
import type { Plural, Sentences } from '../../kernel/sentence.ts'
import type { Words } from './words.ts'

interface Section {
  readonly [key: string]: string | Section
}

/**
 * Differences of a language from the words that it replaces: paths, such as `account.title`. `all` has every
 * sentence, and `unfit` those that are no text, or have other slots.
 */
export type Differences = Record<'all' | 'missing' | 'unfit' | 'unknown', string[]>

/** Numbers that tell the plural categories of all languages apart. */
const NUMBERS = [...Array.from({ length: 200 }, (_, index) => index + 1), 1_000_000, 2_000_000]

/** Puts the words of a language in the place of others. What is missing or does not fit stays as it was. */
export function addWords(base: Words, added: Sentences, tag: string) {
  const differences: Differences = { all: [], missing: [], unfit: [], unknown: [] }
  const rules = new Intl.PluralRules(tag)

  function merge(known: string | Section, given: unknown, path: string): unknown {
    const isText = typeof known === 'string'
    if (isText || isPlural(known)) {
      differences.all.push(path)
      const fits = isText ? hasSlots(given, known, true) : hasForms(given, known, rules)
      if (fits) return given
      differences[given === undefined ? 'missing' : 'unfit'].push(path)
      // Its form for one is for other numbers, too, in some languages.
      return isText ? known : { '=1': known.one, other: known.other }
    }
    const members = isPlainObject(given) ? given : {}
    const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`)
    const unknown = Object.keys(members).filter((key) => !Object.hasOwn(known, key))
    differences.unknown.push(...unknown.map(pathOf))
    return Object.fromEntries(
      Object.entries(known).map(([key, value]) => [key, merge(value, members[key], pathOf(key))]),
    )
  }
  // It has the keys of `base`, each with a sentence that fits.
  return { words: merge(base, added, '') as Words, differences }
}

const isPlural = (value: Section): value is Plural => Object.keys(value).join() === 'one,other'

/** Checks whether forms can stand for others: each has their slots, and is one that the language has. */
function hasForms(given: unknown, { other }: Plural, rules: Intl.PluralRules): boolean {
  const categories: readonly string[] = rules.resolvedOptions().pluralCategories
  const isForOne = (form: string) =>
    form.startsWith('=') || NUMBERS.filter((number) => rules.select(number) === form).length <= 1
  return (
    isPlainObject(given) &&
    'other' in given &&
    Object.entries(given).every(
      ([form, text]) =>
        (/^=\d+$/.test(form) || categories.includes(form)) &&
        hasSlots(text, other, !isForOne(form)),
    )
  )
}

/** @param all whether it needs all of them: `once` does without its number */
function hasSlots(text: unknown, known: string, all: boolean): boolean {
  if (typeof text !== 'string' || text.trim() === '') return false
  const slots: readonly string[] = text.match(SLOT) ?? []
  const wanted: readonly string[] = known.match(SLOT) ?? []
  const isWithin = slots.every((slot) => wanted.includes(slot))
  return isWithin && (!all || wanted.every((slot) => slots.includes(slot)))
}
