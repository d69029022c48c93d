// Prints how large each part of the project is, in tokens of code, beside its budget in size.json.
// Formatting, long lines and comments do not change that number.
//   npm run size                  fails if a part is over its budget
//   npm run size -- --lower       lowers each budget to what its part has
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const BUDGETS = join(import.meta.dirname, 'size.json')

/** Each file counts for the first pattern that its path matches. */
const PARTS: Readonly<Record<string, RegExp>> = {
  'tests of the console': /^packages\/console\/test\//,
  tests: /(^|\/)test\//,
  'src/adapters': /^src\/adapters\//,
  'src without adapters': /^src\//,
  guard: /^packages\/resource-server\/src\//,
  'browser kit': /^packages\/browser\/src\//,
  console: /^packages\/console\/src\//,
  verify: /^packages\/verify\/src\//,
  testing: /^packages\/testing\/src\//,
  'example-provider': /^example-provider\//,
  'scripts, bench, examples': /^(packages\/[^/]+\/)?(scripts|bench|examples)\//,
}

/** A comment, or a token: a string, a template, a word, an operator, any other character. */
const LEXEME =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[\p{L}\p{N}_$]+|=>|\.\.\.|\?\?=?|\?\.|&&=?|\|\|=?|[=!]==?|[<>]=?|[-+*/%&|^]=|\+\+|--|\S/gu

export function tokensOf(text: string): number {
  return [...text.matchAll(LEXEME)].filter(([lexeme]) => !/^\/[/*]/.test(lexeme)).length
}

/** The tokens of each part. */
export function sizes(): Map<string, number> {
  const found = new Map(Object.keys(PARTS).map((part) => [part, 0]))
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
  for (const file of files) {
    if (!/\.(m?[jt]s|tsx)$/.test(file) || file.endsWith('.d.ts')) continue
    const [part] = Object.entries(PARTS).find(([, pattern]) => pattern.test(file)) ?? []
    const path = join(ROOT, file)
    if (part === undefined || !existsSync(path)) continue
    found.set(part, (found.get(part) ?? 0) + tokensOf(readFileSync(path, 'utf8')))
  }
  return found
}

export function budgets(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(BUDGETS, 'utf8'))
}

if (import.meta.main) {
  const found = sizes()
  const lowered = Object.fromEntries(
    [...found].map(([part, tokens]) => [part, Math.min(tokens, budgets()[part] ?? tokens)]),
  )
  if (process.argv.includes('--lower')) {
    writeFileSync(BUDGETS, `${JSON.stringify(lowered, null, 2)}\n`)
  }
  for (const [part, tokens] of found) {
    const budget = budgets()[part] ?? 0
    const isOver = tokens > budget
    if (isOver) process.exitCode = 1
    console.log(
      `${part.padEnd(26)}${String(tokens).padStart(8)} of ${String(budget).padStart(7)}${isOver ? '  over its budget' : ''}`,
    )
  }
}
