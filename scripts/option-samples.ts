import { inspect } from 'node:util'
import { runInThisContext } from 'node:vm'
import type { RuleFacts } from '../src/options/rules.ts'

/** A value that the rule refuses, as a typical mistake. */
export function wrongValueOf(rule: RuleFacts): unknown {
  switch (rule.type) {
    case 'boolean':
      return 'true'
    case 'integer':
      return Number(rule.max) + 1
    case 'scope':
      return 'two scopes'
    case 'path':
      return '/api/'
    case 'resource':
      return '/api'
    case 'text':
      return ''
    case 'string':
      return 1
    case 'identifier':
      return 'not-one'
    case 'url':
      return 'id.example.com'
    case 'oneOf':
      return 'other'
    case 'someOf':
      return ['other']
    case 'clients':
    case 'clientRule':
    case 'operatorClients':
      return 'backend'
    case 'stringMap':
      return { PORT: 3000 }
    case 'function':
      return true
    case 'schema':
    case 'object':
      return {}
    default:
      return 'other'
  }
}

/** An example for a docstring without one. */
export function exampleOf(name: string | undefined, rule: RuleFacts): string {
  switch (rule.type) {
    case 'boolean':
      return `${name}: ${!rule.default}`
    case 'oneOf':
      return `${name}: ${expression(rule.values?.find((value) => value !== rule.default))}`
    case 'someOf':
      return `${name}: ${expression(rule.values?.slice(0, 1))}`
    case 'integer':
      if (rule.default) {
        return `${name}: ${Math.max(Number(rule.min), Math.floor(Number(rule.default) / 2))}`
      }
  }
  throw new Error(`the docstring of ${name} needs an @example`)
}

/** The source code of the value. */
export function expression(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(expression).join(', ')}]`
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY })
}

/** What the examples name and do not make. */
const STAND_INS = {
  Pool: class {
    async query() {}
  },
}

/** Makes an object from the source code of its members. */
export function objectOf(members: string): Record<string, unknown> {
  const names = Object.keys(STAND_INS)
  return runInThisContext(`(${names}) => ({${members}})`)(...Object.values(STAND_INS))
}

/** Copies the options with another value at the path. `undefined` removes the member. */
export function withMember(
  options: unknown,
  [name = '', ...below]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const { [name]: inner, ...others } = { ...Object(options) }
  if (below.length > 0) return { ...others, [name]: withMember(inner, below, value) }
  return value === undefined ? others : { ...others, [name]: value }
}
