import { execFileSync } from 'node:child_process'
import { CouldNotRun } from './could-not-run.ts'

/** Reads one value of the configuration; `path` names it in errors, such as `issue.client.id`. */
export type Parse<T> = (value: unknown, path: string) => T

/** How long a command may take that prints a secret, in milliseconds. */
const COMMAND_TIMEOUT_MS = 60_000

/** @throws CouldNotRun always */
export function refuse(path: string, problem: string): never {
  throw new CouldNotRun(`the configuration is wrong: ${path} ${problem}`)
}

export const text: Parse<string> = (value, path) =>
  typeof value === 'string' && value !== ''
    ? value
    : refuse(path, 'must be a text that is not empty')

export const flag: Parse<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'must be true or false')

export function integer(min: number, max: number): Parse<number> {
  return (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : refuse(path, `must be an integer from ${min} to ${max}`)
}

export const url: Parse<string> = (value, path) => {
  const parsed = URL.parse(text(value, path))
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    refuse(path, 'must be an absolute URL with https: or http:')
  }
  return text(value, path)
}

export const plainObject: Parse<Readonly<Record<string, unknown>>> = (value, path) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : refuse(path, 'must be an object')

export function list<T>(parse: Parse<T>): Parse<readonly T[]> {
  return (value, path) =>
    Array.isArray(value)
      ? value.map((one, index) => parse(one, `${path}[${index}]`))
      : refuse(path, 'must be a list')
}

export function oneOf<T extends string>(known: readonly T[]): Parse<T> {
  return (value, path) =>
    known.find((one) => one === value) ?? refuse(path, `must be one of: ${known.join(', ')}`)
}

/** A text for every member. */
export const texts: Parse<Readonly<Record<string, string>>> = (value, path) =>
  Object.fromEntries(
    Object.entries(plainObject(value, path)).map(([name, one]) => [
      name,
      text(one, `${path}.${name}`),
    ]),
  )

export function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return (value, path) => (value === undefined ? undefined : parse(value, path))
}

/** An object with these members and no other. */
export function members<S extends Readonly<Record<string, Parse<unknown>>>>(
  shape: S,
): Parse<{ readonly [K in keyof S]: ReturnType<S[K]> }> {
  return (value, path) => {
    const given = plainObject(value, path)
    const below = (name: string) => (path === '' ? name : `${path}.${name}`)
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(shape, name))
    if (unknown !== undefined) {
      refuse(below(unknown), `is not known; known are: ${Object.keys(shape).join(', ')}`)
    }
    const entries = Object.entries(shape).map(([name, parse]) => {
      return [name, parse(given[name], below(name))] as const
    })
    // The entries are those of the shape.
    return Object.fromEntries(entries) as { readonly [K in keyof S]: ReturnType<S[K]> }
  }
}

/**
 * A text; or `{ "env": "NAME" }`, the value of a variable; or `{ "command": ["node", "sign-in.mjs"] }`,
 * what a command prints.
 */
export const secret: Parse<string> = (value, path) => {
  if (typeof value !== 'object' || value === null) return text(value, path)
  const { env, command } = members({ env: optional(text), command: optional(list(text)) })(
    value,
    path,
  )
  if (env !== undefined) {
    return process.env[env] || refuse(`${path}.env`, `names ${env}, which is not set`)
  }
  const [program, ...args] = command ?? []
  if (program === undefined) refuse(path, 'must be a text, or have env or command')
  try {
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    const printed = execFileSync(program, args, { timeout: COMMAND_TIMEOUT_MS, stdio: [...stdio] })
    return text(printed.toString().trim(), path)
  } catch (error) {
    if (error instanceof CouldNotRun) throw error
    return refuse(`${path}.command`, `failed: ${error instanceof Error ? error.message : error}`)
  }
}
