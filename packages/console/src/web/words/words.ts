import { EVENT_SENTENCES } from 'oidc-provider-impersonation-verify/format'
import type { Plural } from '../../kernel/sentence.ts'
import german from './de.json' with { type: 'json' }
import sentences from './en.json' with { type: 'json' }

const english = {
  ...sentences,
  impersonations: { ...sentences.impersonations, events: EVENT_SENTENCES },
}

/** The same keys, with any text. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends { one: string; other: string }
      ? Plural
      : Translated<T[K]>
}

/** Every sentence that a person reads, by part and key. A sentence may have slots, such as {name}. */
export type Words = Translated<typeof english>

// Each language has the type of the other one: a key that only one of them has does not compile.
export const ENGLISH: Translated<typeof german> = english
export const GERMAN: Translated<typeof english> = german
