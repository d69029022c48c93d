import { invalid } from './problem.ts'

/** The parameters of a request. Each has a known name and appears once; an empty one is absent. */
export type Query = ReadonlyMap<string, string>

/** @throws Problem 400 that names the parameter */
export function parseQuery(querystring: string, ...known: readonly string[]): Query {
  const query = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(querystring)) {
    if (!known.includes(name)) {
      throw invalid(`a parameter is not known here; known are: ${known.join(', ') || 'none'}`)
    }
    if (seen.has(name)) throw invalid(`the parameter ${name} is repeated`)
    seen.add(name)
    if (value !== '') query.set(name, value)
  }
  return query
}

/** A text with a greatest number of characters. */
export function textIn(query: Query, name: string, most: number): string | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  if ([...value].length > most) throw invalid(`${name} must not exceed ${most} characters`)
  if (!value.isWellFormed() || value.includes('\0')) throw invalid(`${name} is not a text`)
  return value
}

/** A whole number from `least` to `most`. */
export function numberIn(
  query: Query,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw invalid(`${name} must be a whole number from ${least} to ${most}`)
}

/** One of these words. */
export function wordIn<T extends string>(
  query: Query,
  name: string,
  words: readonly T[],
): T | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  const found = words.find((word) => word === value)
  if (found !== undefined) return found
  throw invalid(`${name} must be one of: ${words.join(', ')}`)
}
