/** A source file with one small mistake in it. */
export interface Mutant {
  readonly line: number
  readonly from: string
  readonly to: string
  /** The whole file. */
  readonly mutated: string
}

type Replacement = string | ((...match: string[]) => string)

/** Typical mistakes of people. Each match on a line is a separate mutant. */
const MISTAKES: ReadonlyArray<[pattern: RegExp, replacement: Replacement]> = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \?\? [^,)}]+/g, ''],
  [/\bif \((.+)\)(?= |$)/g, () => 'if (true)'],
  [/\bif \((.+)\)(?= |$)/g, () => 'if (false)'],
  [/\bawait /g, ''],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<![\w.])\d+\b/g, (number = '') => String(Number(number) + 1)],
  [/!(?=[\w(])/g, ''],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/Math\.min/g, 'Math.max'],
  [/Math\.max/g, 'Math.min'],
  [/Object\.freeze\(/g, '('],
  [/\/\^/g, '/'],
  [/\$\//g, '/'],
  [/ \? .+ : /g, ' ? undefined : '],
  [/(?<= : )[^:]+$/g, 'undefined'],
  [/\.\.\.\(.+\)(?=,?$)/g, ''],
  // Removes a statement, a member or an element.
  [/^\s+(?:await )?[\w.#?]+\(.*\)$/g, ''],
  [/^\s+[\w.#[\]]+ \??\??= .+$/g, ''],
  [/^\s+(?:delete|throw) .+$/g, ''],
  [/^\s+(?:\w+|'[^']+')(?:: .+)?,$/g, ''],
]

/** All mutants of a file. Each contains one mistake. */
export function mutantsOf(source: string): Mutant[] {
  const lines = source.split('\n')
  const start = lines.findLastIndex((line) => /^(?:import\b|} from )/.test(line)) + 1
  return lines.flatMap((from, index) => {
    if (index < start || /^\s*(?:\/[/*]|\*|readonly \w+\??: |export type|type )/.test(from))
      return []
    return Array.from(mistakesIn(from), (to) => ({
      line: index + 1,
      from: from.trim(),
      to: to.trim(),
      mutated: lines.with(index, to).join('\n'),
    }))
  })
}

function mistakesIn(line: string): Set<string> {
  const mistakes = new Set<string>()
  for (const [pattern, replacement] of MISTAKES) {
    for (const match of line.matchAll(pattern)) {
      const instead = typeof replacement === 'string' ? replacement : replacement(...match)
      const end = match.index + match[0].length
      mistakes.add(line.slice(0, match.index) + instead + line.slice(end))
    }
  }
  mistakes.delete(line)
  return mistakes
}
