import accountGerman from './account/de.json' with { type: 'json' }
import accountEnglish from './account/en.json' with { type: 'json' }
import alarmsGerman from './alarms/de.json' with { type: 'json' }
import alarmsEnglish from './alarms/en.json' with { type: 'json' }
import impersonationsGerman from './impersonations/de.json' with { type: 'json' }
import impersonationsEnglish from './impersonations/en.json' with { type: 'json' }
import noticesGerman from './notices/de.json' with { type: 'json' }
import noticesEnglish from './notices/en.json' with { type: 'json' }
import permitsGerman from './permits/de.json' with { type: 'json' }
import permitsEnglish from './permits/en.json' with { type: 'json' }
import type { Plural } from './sentence.ts'
import webGerman from './web/de.json' with { type: 'json' }
import webEnglish from './web/en.json' with { type: 'json' }

const english = {
  account: accountEnglish,
  alarms: alarmsEnglish,
  impersonations: impersonationsEnglish,
  notices: noticesEnglish,
  permits: permitsEnglish,
  web: webEnglish,
}

const german = {
  account: accountGerman,
  alarms: alarmsGerman,
  impersonations: impersonationsGerman,
  notices: noticesGerman,
  permits: permitsGerman,
  web: webGerman,
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
