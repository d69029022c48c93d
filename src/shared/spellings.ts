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
  return countCased(text) > 0
}

function countCased(text: string): number {
  return [...text].filter((letter) => swapped(letter) !== undefined).length
}

/**
 * Returns two texts, drawn at random, that differ from this one in the case of letters. For one
 * letter it returns one.
 */
export function otherSpellings(text: string): readonly string[] {
  const count = Math.min(countCased(text), 2)
  const found = new Set<string>()
  while (found.size < count) {
    const drawn = [...text].map((letter) => (randomInt(2) === 1 && swapped(letter)) || letter)
    if (drawn.join('') !== text) found.add(drawn.join(''))
  }
  return [...found]
}
