import { isSafe, validRule } from 'oidc-provider-impersonation/siblings'

/** Literal path segments. */
const PATH_FORMAT = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

export const pathRule = validRule<string>(
  (value) => typeof value === 'string' && PATH_FORMAT.test(value),
  "a path such as '/console': it begins with a slash and does not end with one",
)

/** The address of a page: https, or http on this machine. */
export const pageRule = validRule<string>((value) => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && isSafe(url) && url.username === '' && url.password === ''
}, 'an absolute https URL, or an http URL of this machine')

export const originRule = validRule<string>((value) => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url !== null && isSafe(url) && `${url.origin}/` === url.href
}, "an https origin without a path, such as 'https://id.example.com'")

/** Seconds, more than none. */
export function secondsRule(most: number) {
  return validRule<number>(
    (value) => typeof value === 'number' && value > 0 && value <= most,
    `a number of seconds, more than 0 and at most ${most}`,
  )
}

export const timeZoneRule = validRule<string>((value) => {
  try {
    return typeof value === 'string' && Intl.DateTimeFormat('en', { timeZone: value }) !== undefined
  } catch {
    return false
  }
}, "a time zone, such as 'Europe/Berlin'")

/** Browsers get its source alone. */
export const patternRule = validRule<RegExp>((value) => {
  if (!(value instanceof RegExp) || !/^u?$/.test(value.flags)) return false
  try {
    return new RegExp(value.source, 'u') instanceof RegExp
  } catch {
    return false
  }
}, 'a regular expression such as /SUP-\\d+/, valid with the flag u and with no other flag')

/** A text that is not empty. @param about what it is, for the error where it is absent */
export function textRule(about: string) {
  return { type: 'text', default: undefined, required: about } as const
}
