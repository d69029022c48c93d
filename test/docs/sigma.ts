import { parseAllDocuments } from 'yaml'

// As much of Sigma as the rules of docs/observability.md use; everything else throws.

interface Rule {
  readonly title: string
  readonly name?: string
  readonly detection?: Readonly<Record<string, Readonly<Record<string, string>>>> & {
    readonly condition: string
  }
  readonly correlation?: {
    readonly type: string
    readonly rules: readonly string[]
    readonly 'group-by': readonly string[]
    readonly timespan: string
    readonly condition: { readonly gte: number }
  }
}

/** A line of the log. `timeMs` is in milliseconds since the epoch. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly timeMs: number
}

/** @returns the titles of the rules that match, for each line of the log, or some of them together */
export function matchingRules(yaml: string, lines: readonly LogLine[]): string[] {
  const rules = parseAllDocuments(yaml).map((document) => {
    if (document.errors[0]) throw document.errors[0]
    return document.toJS() as Rule
  })
  return rules
    .filter((rule) =>
      rule.correlation
        ? correlates(rule.correlation, rules, lines)
        : lines.some((line) => matches(rule, line)),
    )
    .map(({ title }) => title)
}

function matches({ title, detection }: Rule, line: LogLine): boolean {
  if (!detection) throw new Error(`${title} has no detection`)
  const { condition, ...selections } = detection
  const [, pattern] = /^(?:1 of )?(\w+\*?)$/.exec(condition) ?? []
  if (pattern === undefined) throw new Error(`${title}: ${condition} is not understood here`)
  const names = Object.keys(selections).filter((name) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )
  if (names.length === 0) throw new Error(`${title}: ${condition} selects nothing`)
  return names.some((name) =>
    Object.entries(selections[name] ?? {}).every(([field, wanted]) => fits(line, field, wanted)),
  )
}

function fits(line: LogLine, field: string, wanted: string): boolean {
  const [path = '', modifier, ...more] = field.split('|')
  if (more.length > 0) throw new Error(`${field} is not understood here`)
  const found = memberOf(line, path)
  if (modifier === undefined) return found === wanted
  if (modifier !== 'contains') throw new Error(`${modifier} is not understood here`)
  return typeof found === 'string' && found.includes(wanted)
}

function memberOf(line: LogLine, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (value instanceof Object ? Reflect.get(value, name) : undefined),
      line,
    )
}

function correlates(
  { type, rules: names, timespan, condition, ...more }: NonNullable<Rule['correlation']>,
  rules: readonly Rule[],
  lines: readonly LogLine[],
): boolean {
  const [, minutes] = /^(\d+)m$/.exec(timespan) ?? []
  if (type !== 'event_count' || minutes === undefined) throw new Error(`${type}: not understood`)
  const span = Number(minutes) * 60_000
  const counted = lines.filter((line) =>
    rules.some((rule) => rule.name && names.includes(rule.name) && matches(rule, line)),
  )
  const keyOf = (line: LogLine) => JSON.stringify(more['group-by'].map((by) => memberOf(line, by)))
  return counted.some((last) => {
    const group = counted.filter(
      (line) =>
        keyOf(line) === keyOf(last) &&
        line.timeMs <= last.timeMs &&
        line.timeMs > last.timeMs - span,
    )
    return group.length >= condition.gte
  })
}
