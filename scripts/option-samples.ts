import { inspect } from 'node:util'

/** A rule of the plugin, which is asked, or one of the guard. */
export type AnyRule = AskedRule | GuardRule

interface AskedRule {
  (value: unknown, path: string): unknown
  readonly of?: Shape
}

interface GuardRule extends RuleFacts {
  readonly parse: (value: unknown, path: string) => unknown
  readonly of?: Shape
}

/** Rules by the names of their options. */
export interface Shape {
  readonly [name: string]: AnyRule
}

/** Facts about a rule for the page. */
export interface RuleFacts {
  readonly type: string
  /** The value of an option that is left out. */
  readonly default?: unknown
  /** The bounds of an integer. */
  readonly min?: number
  readonly max?: number
  /** The values that it, or its entries, may have. */
  readonly values?: readonly string[]
}

/** The facts about a rule. Those of the plugin say by their errors what they take. */
export function factsOf(rule: AnyRule): RuleFacts {
  if (typeof rule !== 'function') return rule
  const byDefault = refusal(rule, undefined) === undefined ? rule(undefined, '') : undefined
  const words = refusal(rule, Symbol('no value of an option')) ?? ''
  const [, min, max] = /an integer from (\d+) to (\d+)/.exec(words) ?? []
  if (min) return { type: 'integer', default: byDefault, min: Number(min), max: Number(max) }
  const [, one, names = ''] = /be (one|a list).*: (.*)/.exec(words) ?? []
  const type = one === 'one' ? 'oneOf' : 'someOf'
  if (one) return { type, default: byDefault, values: names.split(', ') }
  if (words.includes('true or false')) return { type: 'boolean', default: byDefault }
  const isSection = words.includes('an object with: ') && byDefault !== undefined
  return { type: isSection ? 'section' : 'other', default: byDefault }
}

/** The message with which a rule refuses a value; `undefined` if it takes the value. */
function refusal(rule: AnyRule, value: unknown): string | undefined {
  try {
    if (typeof rule === 'function') rule(value, '')
    else rule.parse(value, '')
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** The source code of the value. */
export function expression(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(expression).join(', ')}]`
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY })
}
