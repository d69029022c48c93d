import type { Authorize } from '../public/hooks.ts'

/** The longest sentence, in characters. */
const MAX_LENGTH = 500

/**
 * The descriptions of a rule, for each rule that it is made of; `undefined` for a rule without
 * one.
 *
 * @throws TypeError for anything but a sentence or a list of sentences
 */
export function descriptionsOf(rule: Authorize, path: string): readonly (string | undefined)[] {
  const { description } = rule
  const all: readonly unknown[] = Array.isArray(description) ? description : [description]
  if (all.every(isDescription)) return all
  throw new TypeError(
    `${path}.description must be a sentence of 1 to ${MAX_LENGTH} characters, or a list with one for each rule that it is made of`,
  )
}

function isDescription(value: unknown): value is string | undefined {
  if (value === undefined) return true
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH
}
