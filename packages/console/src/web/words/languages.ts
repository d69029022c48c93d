import type { Sentences } from '../../kernel/sentence.ts'
import { addWords, type Differences } from './add-words.ts'
import { lookUp } from './look-up.ts'
import { ENGLISH, GERMAN, type Words } from './words.ts'

/** The languages of a console, each by its BCP 47 tag. */
export type Languages = ReturnType<typeof createLanguages>

/** The languages of the package. */
const SHIPPED: ReadonlyMap<string, Words> = new Map([
  ['en', ENGLISH],
  ['de', GERMAN],
])
/** A warning names so many keys of each kind. */
const MAX_KEYS_NAMED = 5

/**
 * The languages of the package, and those that are added. `de-AT` replaces sentences of the German
 * ones, and a language that the package does not have those of the English ones.
 *
 * @param warn is called at most once, if sentences are missing or do not fit
 */
export function createLanguages(
  added: Readonly<Record<string, Sentences | undefined>>,
  preferred: string,
  warn: (message: string) => void,
) {
  const all = new Map(SHIPPED)
  const troubles: string[] = []
  for (const [tag, sentences] of Object.entries(added)) {
    if (sentences === undefined) continue
    const related = lookUp(tag, [...SHIPPED.keys()])
    const base = SHIPPED.get(related ?? '') ?? ENGLISH
    const { words, differences } = addWords(base, sentences, tag)
    all.set(tag, words)
    troubles.push(...troublesOf(tag, { ...differences, ...(related && { missing: [] }) }))
  }
  if (troubles.length > 0) warn(`${troubles.join('; ')}. The console's own sentences stay there.`)
  const tags: readonly string[] = [...all.keys()]
  return {
    tags,
    /** The language of a person who asks for none of them. */
    preferred,
    /** English if there is no such language. */
    wordsIn: (tag: string) => all.get(tag) ?? ENGLISH,
  }
}

function troublesOf(tag: string, { all, missing, unfit, unknown }: Differences): string[] {
  const kinds = [
    [`${tag} lacks ${missing.length} of ${all.length} sentences`, missing],
    [`${tag} has ${unfit.length} with other placeholders or forms`, unfit],
    [`${tag} has ${unknown.length} with an unknown key`, unknown],
  ] as const
  return kinds.flatMap(([kind, keys]) => {
    const named = keys.slice(0, MAX_KEYS_NAMED).join(', ')
    const more = keys.length > MAX_KEYS_NAMED ? ', …' : ''
    return keys.length === 0 ? [] : `${kind} (${named}${more})`
  })
}
