import { EVENT_SENTENCES } from 'oidc-provider-impersonation-verify/format'
import accountGerman from '../../features/account/words/de.json' with { type: 'json' }
import accountEnglish from '../../features/account/words/en.json' with { type: 'json' }
import alarmsGerman from '../../features/alarms/words/de.json' with { type: 'json' }
import alarmsEnglish from '../../features/alarms/words/en.json' with { type: 'json' }
import impersonationsGerman from '../../features/impersonations/words/de.json' with { type: 'json' }
import impersonationsEnglish from '../../features/impersonations/words/en.json' with {
  type: 'json',
}
import noticesGerman from '../../features/notices/words/de.json' with { type: 'json' }
import noticesEnglish from '../../features/notices/words/en.json' with { type: 'json' }
import overviewGerman from '../../features/overview/words/de.json' with { type: 'json' }
import overviewEnglish from '../../features/overview/words/en.json' with { type: 'json' }
import permitsGerman from '../../features/permits/words/de.json' with { type: 'json' }
import permitsEnglish from '../../features/permits/words/en.json' with { type: 'json' }
import personalDataGerman from '../../features/personal-data/words/de.json' with { type: 'json' }
import personalDataEnglish from '../../features/personal-data/words/en.json' with { type: 'json' }
import rulesGerman from '../../features/rules/words/de.json' with { type: 'json' }
import rulesEnglish from '../../features/rules/words/en.json' with { type: 'json' }
import type { Plural } from '../../kernel/sentence.ts'
import recordsGerman from '../../records/words/de.json' with { type: 'json' }
import recordsEnglish from '../../records/words/en.json' with { type: 'json' }
import webGerman from './de.json' with { type: 'json' }
import webEnglish from './en.json' with { type: 'json' }

const english = {
  account: accountEnglish,
  alarms: alarmsEnglish,
  impersonations: { ...impersonationsEnglish, events: EVENT_SENTENCES },
  notices: noticesEnglish,
  overview: overviewEnglish,
  permits: permitsEnglish,
  personalData: personalDataEnglish,
  records: recordsEnglish,
  rules: rulesEnglish,
  web: webEnglish,
}

const german = {
  account: accountGerman,
  alarms: alarmsGerman,
  impersonations: impersonationsGerman,
  notices: noticesGerman,
  overview: overviewGerman,
  permits: permitsGerman,
  personalData: personalDataGerman,
  records: recordsGerman,
  rules: rulesGerman,
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
