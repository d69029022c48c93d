import { de } from './de.ts'
import { en, type Words } from './words.ts'

export type { Plural, Translated, Words } from './words.ts'

export const WORDS_BY_LANGUAGE = { en, de } as const satisfies Record<string, Words>

export type Language = keyof typeof WORDS_BY_LANGUAGE
