import { integer, isSafe, valid } from 'oidc-provider-impersonation/siblings'
import { isPlainObject } from 'oidc-provider-impersonation-verify/format'
import type { Sentences } from './sentence.ts'

/** Literal path segments. */
const PATH_FORMAT = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

export const pathRule = valid<string>(
  (value) => typeof value === 'string' && PATH_FORMAT.test(value),
  "a path such as '/console': it begins with a slash and does not end with one",
)

/** An address with https, or http on this machine. */
function urlRule(isRight: (url: URL) => boolean, what: string) {
  return valid<string>((value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    return url !== null && isSafe(url) && isRight(url)
  }, what)
}

/** The address of a page. */
export const pageRule = urlRule(
  ({ username, password }) => username + password === '',
  'an absolute https URL, or an http URL of this machine',
)

export const originRule = urlRule(
  ({ origin, href }) => `${origin}/` === href,
  "an https origin without a path, such as 'https://id.example.com'",
)

export const wholeSecondsRule = integer(1, Number.MAX_SAFE_INTEGER)

/** Seconds, more than none. */
export function secondsRule(most: number) {
  return valid<number>(
    (value) => typeof value === 'number' && value > 0 && value <= most,
    `a number of seconds, more than 0 and at most ${most}`,
  )
}

export const timeZoneRule = valid<string>((value) => {
  try {
    return typeof value === 'string' && Intl.DateTimeFormat('en', { timeZone: value }) !== undefined
  } catch {
    return false
  }
}, "a time zone, such as 'Europe/Berlin'")

/** Browsers get its source alone. */
export const patternRule = valid<RegExp>((value) => {
  if (!(value instanceof RegExp) || !/^u?$/.test(value.flags)) return false
  try {
    return new RegExp(value.source, 'u') instanceof RegExp
  } catch {
    return false
  }
}, 'a regular expression such as /SUP-\\d+/, valid with the flag u and with no other flag')

/** A name for each language. */
export const namesRule = valid<Readonly<Record<string, string | undefined>>>(
  (value) => isByLanguage(value, (name) => typeof name === 'string' && name.trim() !== ''),
  "an object with a name for each language, such as { de: 'Laden' }",
)

/** Sentences for each language. */
export const wordsRule = valid<Readonly<Record<string, Sentences | undefined>>>(
  (value) => isByLanguage(value, isPlainObject),
  'an object with an object of sentences for each language, by its BCP 47 tag: { fr: { … } }',
)

function isByLanguage(value: unknown, isValid: (member: unknown) => boolean): boolean {
  return (
    isPlainObject(value) &&
    Object.entries(value).every(
      ([tag, member]) => isLanguageTag(tag) && (member === undefined || isValid(member)),
    )
  )
}

/** A BCP 47 tag as it is written: `fr-CA`, and not `fr_ca`. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text)[0] === text
  } catch {
    return false
  }
}
