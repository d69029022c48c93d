import { account } from './de/account.ts'
import { audit } from './de/audit.ts'
import { frame } from './de/frame.ts'
import { operators } from './de/operators.ts'
import { problems } from './de/problems.ts'
import { running } from './de/running.ts'
import { en, type Words } from './words.ts'

export type { Plural, Translated, Words } from './words.ts'

export const WORDS_BY_LANGUAGE = {
  en,
  de: { frame, operators, running, audit, account, problems },
} as const satisfies Record<string, Words>

export type Language = keyof typeof WORDS_BY_LANGUAGE
