import { SLOT } from 'oidc-provider-impersonation-verify/format'
import type { Plural, Sentences } from '../../kernel/sentence.ts'
import type { Words } from './words.ts'

/** Differences of a language from the words that it replaces: paths, such as `account.title`. */
export interface Differences {
  /** Every sentence that there is. */
  readonly all: string[]
  readonly missing: string[]
  /** Not a text, or one with other slots. */
  readonly unfit: string[]
  readonly unknown: string[]
}

interface Section {
  readonly [key: string]: string | Section
}

/** Numbers that tell the plural categories of all languages apart. */
const NUMBERS = [...Array.from({ length: 200 }, (_, index) => index + 1), 1_000_000, 2_000_000]

/** Puts the words of a language in the place of others. What is missing or does not fit stays as it was. */
export function addWords(
  base: Words,
  added: Sentences,
  tag: string,
): { words: Words; differences: Differences } {
  const differences: Differences = { all: [], missing: [], unfit: [], unknown: [] }
  const fits = fitFor(new Intl.PluralRules(tag))

  const sentenceFor = (known: string | Section, given: unknown, path: string): unknown => {
    differences.all.push(path)
    if (given !== undefined && fits(known, given)) return given
    differences[given === undefined ? 'missing' : 'unfit'].push(path)
    // Its form for one is for other numbers, too, in some languages.
    return typeof known === 'string' ? known : { '=1': known.one, other: known.other }
  }
  const sectionFor = (known: Section, given: unknown, above: string): object => {
    const members = membersOf(given)
    const unknown = [...members.keys()].filter((key) => !Object.hasOwn(known, key))
    differences.unknown.push(...unknown.map((key) => `${above}${key}`))
    const all = Object.entries(known).map(([key, value]) => {
      const [one, path] = [members.get(key), `${above}${key}`]
      const isSentence = typeof value === 'string' || isPlural(value)
      return [key, isSentence ? sentenceFor(value, one, path) : sectionFor(value, one, `${path}.`)]
    })
    return Object.fromEntries(all)
  }
  // It has the keys of `base`, each with a sentence that fits.
  return { words: sectionFor(base, added, '') as Words, differences }
}

/** Tells whether a sentence can stand for another one: it has the same slots, in each of its forms. */
function fitFor(rules: Intl.PluralRules) {
  const { pluralCategories } = rules.resolvedOptions()
  const isForOne = (form: string) =>
    form.startsWith('=') || NUMBERS.filter((number) => rules.select(number) === form).length <= 1
  return (known: string | Section, given: unknown): boolean => {
    if (typeof known === 'string') return hasSlots(given, known, true)
    const forms = membersOf(given)
    return (
      forms.has('other') &&
      [...forms].every(
        ([form, text]) =>
          (/^=\d+$/.test(form) || pluralCategories.some((category) => category === form)) &&
          hasSlots(text, known.other, !isForOne(form)),
      )
    )
  }
}

/** @param all whether it needs all of them: `once` does without its number */
function hasSlots(text: unknown, known: unknown, all: boolean): boolean {
  if (typeof text !== 'string' || typeof known !== 'string' || text.trim() === '') return false
  const [slots, wanted] = [slotsOf(text), slotsOf(known)]
  const isWithin = slots.every((slot) => wanted.includes(slot))
  return isWithin && (!all || wanted.every((slot) => slots.includes(slot)))
}

const slotsOf = (text: string): readonly string[] => text.match(SLOT) ?? []

const isPlural = (value: Section): value is Plural => Object.keys(value).join() === 'one,other'

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  const all = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return new Map(all.filter(([, member]) => member !== undefined))
}
