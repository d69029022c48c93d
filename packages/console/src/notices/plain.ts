/** The longest name, ticket or sentence in a notice, in characters. */
const MAX_LENGTH = 200

/**
 * A text of a person or an application as one line that mail programs make no link of: it is official
 * mail, and a customer's or operator's name can be `www.example.com`. An invisible space stands after each
 * sign that a link would need.
 */
export function plain(text: string): string {
  const line = text
    .toWellFormed()
    // Line breaks, other control characters, and what turns the direction of writing.
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  const cut = [...line].slice(0, MAX_LENGTH).join('')
  return cut.replaceAll(/([.:/@?#])(?=[^\s])/gu, '$1\u200b')
}
