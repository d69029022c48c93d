import { resolve } from 'node:path'
import { StartError } from './start-error.ts'

/** Reads variables. An empty variable counts as absent. Each throws StartError, naming the variable. */
export interface Variables {
  text(name: string): string | undefined
  /** The absolute path of a file. */
  path(name: string): string | undefined
  number(name: string, byDefault: number, least: number, most: number): number
  /** One of the values; the first without a value. A mistyped value must not start a server. */
  oneOf(name: string, ...allowed: [byDefault: string, ...others: string[]]): string
  /** The origin of a URL. */
  origin(name: string): string | undefined
  /** Keys, separated by commas. With a key that can be guessed, an attacker can forge a session. */
  keys(name: string): readonly string[] | undefined
}

/** The least number of characters of a key. */
const KEY_LENGTH = 16

export function variablesOf(environment: Readonly<Record<string, string | undefined>>): Variables {
  const text = (name: string) => environment[name]?.trim() || undefined
  return {
    text,
    path(name) {
      const value = text(name)
      return value === undefined ? undefined : resolve(value)
    },
    number(name, byDefault, least, most) {
      const value = text(name) ?? String(byDefault)
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
      if (number >= least && number <= most) return number
      throw new StartError(`${name} must be a number from ${least} to ${most}, not '${value}'`)
    },
    oneOf(name, ...allowed) {
      const value = text(name) ?? allowed[0]
      if (allowed.includes(value)) return value
      const others = allowed.slice(0, -1).join(', ')
      throw new StartError(`${name} must be ${others} or ${allowed.at(-1)}, not '${value}'`)
    },
    origin(name) {
      const value = text(name)
      if (value === undefined) return undefined
      const url = URL.parse(value)
      if (!url || !['http:', 'https:'].includes(url.protocol)) {
        throw new StartError(`${name} must be an http or https URL such as https://id.example.com`)
      }
      if (url.href === `${url.origin}/`) return url.origin
      throw new StartError(`${name} must be an origin, without path, query, user or password`)
    },
    keys(name) {
      const keys = text(name)
        ?.split(',')
        .map((key) => key.trim())
      if (!keys) return undefined
      if (keys.every((key) => key.length >= KEY_LENGTH)) return Object.freeze(keys)
      throw new StartError(
        `${name} must be one or more keys of at least ${KEY_LENGTH} characters, separated by commas`,
      )
    },
  }
}
