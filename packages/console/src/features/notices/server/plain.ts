/** The longest name, ticket or sentence in a notice, in characters. */
const MAX_LENGTH = 200

/** A sign that an address has, as it is read: U+3002 is a dot in names of hosts, too. */
const ADDRESS_SIGN = /[.:/@?#\u3002]/
/** Five digits or more, as numbers of telephones are written. */
const PHONE_NUMBER = /\+?\p{Nd}(?:[\s().\u2010-\u2015\u2212/-]*\p{Nd}){4,}/gu
const INVISIBLE_SPACE = '\u200b'

/** A text of a person or an application as one line: it has no line break, and cannot turn the direction of writing. */
export function asLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_LENGTH).join('')
}

/**
 * The text as one line in which mail programs find no address: it is official mail, and a customer's or
 * operator's name can be `www.example.com`. An invisible space stands after each sign that an address would
 * need.
 */
export function withoutAddresses(text: string): string {
  return partAddresses(asLine(text))
}

/** As {@link withoutAddresses}, and without a number that they would call: invisible spaces part its digits. */
export function plain(text: string): string {
  return partAddresses(asLine(text).replaceAll(PHONE_NUMBER, partDigits))
}

function partAddresses(line: string): string {
  return line.replaceAll(/[.:/@?#\P{ASCII}](?=\S)/gu, (sign) =>
    ADDRESS_SIGN.test(sign.normalize('NFKC')) ? sign + INVISIBLE_SPACE : sign,
  )
}

function partDigits(number: string): string {
  return number.replaceAll(/[+\p{Nd}](?=\S)/gu, `$&${INVISIBLE_SPACE}`)
}
