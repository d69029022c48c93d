import { randomInt } from 'node:crypto'

/** The letter in its other case; `undefined` for a character that has none. */
function swapped(letter: string): string | undefined {
  const lower = letter.toLowerCase()
  const upper = letter.toUpperCase()
  const other = letter === lower ? upper : lower
  return other !== letter && [...other].length === 1 ? other : undefined
}

/** Checks whether a text has a letter of two cases. */
export function hasCase(text: string): boolean {
  return [...text].some((letter) => swapped(letter) !== undefined)
}

/**
 * Returns two texts, drawn at random, that differ from this one in the case of letters. For one
 * letter it returns one.
 */
export function otherSpellings(text: string): readonly string[] {
  const letters = [...text]
  const places = letters.flatMap((letter, index) => (swapped(letter) === undefined ? [] : [index]))
  const spell = (isSwapped: (place: number) => boolean) =>
    letters.map((letter, index) => (isSwapped(index) && swapped(letter)) || letter).join('')
  const drawn = places.length > 0 ? places[randomInt(places.length)] : undefined
  if (drawn === undefined) return []
  // The first swaps at least the letter that is drawn, and the second does not swap it.
  const first = spell((place) => place === drawn || randomInt(2) === 1)
  const rest = places.filter((place) => place !== drawn)
  if (rest.length === 0) return [first]
  const also = rest[randomInt(rest.length)]
  return [first, spell((place) => place === also || (place !== drawn && randomInt(2) === 1))]
}
