import { Problem } from '../http/problem.ts'

/** The longest text to search for, in characters. */
const TEXT = 100
/** The longest account id. */
const ID = 255

const LIMIT = { most: 200, without: 50 } as const

/** The parameters of a request. Each has a known name and appears once. */
export type Query = ReadonlyMap<string, string>

/** @throws Problem 400 that names the parameter. */
export function parseQuery(querystring: string, ...known: readonly string[]): Query {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(querystring)) {
    if (!known.includes(name)) {
      const names = known.join(', ')
      throw invalid(`the parameter ${name.slice(0, 50)} is not known here: there are ${names}`)
    }
    if (query.has(name)) throw invalid(`the parameter ${name} is repeated`)
    query.set(name, value)
  }
  return query
}

/** Reads a text to search for. An empty field counts as absent. */
export function parseText(query: Query, name: string): string | undefined {
  return bounded(query, name, TEXT)
}

/** Reads an account id. */
export function parseId(query: Query, name: string): string | undefined {
  return bounded(query, name, ID)
}

export function parseLimit(query: Query): number {
  const value = query.get('limit')
  if (value === undefined) return LIMIT.without
  if (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= LIMIT.most) return Number(value)
  throw invalid(`limit must be a number from 1 to ${LIMIT.most}`)
}

function bounded(query: Query, name: string, most: number): string | undefined {
  const value = query.get(name)
  if (value !== undefined && [...value].length > most) {
    throw invalid(`${name} must not exceed ${most} characters`)
  }
  return value || undefined
}

function invalid(message: string): Problem {
  return new Problem(400, 'invalid_request', message)
}
