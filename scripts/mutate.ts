// Changes a source file in many small ways, one at a time and only in memory. Prints the changes
// that the named tests do not detect. Write a test for each of these that matters.
//   node scripts/mutate.ts src/claims/claims.ts test/claims/access-token-claims.test.ts test/claims/claims-hook.test.ts
import { readFile } from 'node:fs/promises'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import Mocha from 'mocha'
import { type Mutant, mutantsOf } from './mutations.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Only mutants of these lines: 12 or 12-30. */
    lines: { type: 'string', default: '1-100000' },
    /** Prints the mutants without running the tests. */
    list: { type: 'boolean', default: false },
  },
})
const [file, ...tests] = positionals
if (file === undefined || (tests.length === 0 && !values.list)) {
  throw new Error('usage: node scripts/mutate.ts FILE TEST… [--lines A-B] [--list]')
}
const target = pathToFileURL(resolve(file)).href
const source = await readFile(file, 'utf8')
const [first = 1, last = first] = values.lines.split('-').map(Number)
const mutants = mutantsOf(source).filter(
  ({ line, mutated }) => line >= first && line <= last && isValid(mutated),
)

let generation = 0
let current = source
// Every run loads src and test again. Modules from node_modules stay loaded.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const own = resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')
    return own ? { ...resolved, url: `${resolved.url}?${generation}` } : resolved
  },
  load(url, context, next) {
    if (url !== `${target}?${generation}`) return next(url, context)
    return { format: 'module-typescript', source: current, shortCircuit: true }
  },
})

if (values.list) for (const mutant of mutants) console.log(described(mutant))
else await run()
process.exit()

async function run(): Promise<void> {
  // Late errors of a mutant must not end this process.
  process.on('uncaughtException', () => {})
  process.on('unhandledRejection', () => {})
  if (!(await passes(source))) throw new Error('the tests fail without any mutant')
  let survivors = 0
  for (const mutant of mutants) {
    if (!(await passes(mutant.mutated))) continue
    survivors += 1
    console.log(described(mutant))
  }
  if (!(await passes(source))) throw new Error('a mutant left something behind: the tests fail now')
  console.log(`${file}: ${survivors} of ${mutants.length} mutants survived`)
}

async function passes(code: string): Promise<boolean> {
  generation += 1
  current = code
  const realNow = Date.now
  // The type requires a complete reporter. A reporter that prints nothing needs no members.
  const mocha = new Mocha({ bail: true, timeout: 20_000, reporter: class {} as never })
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  try {
    // Mocha itself loads a file with require() once, and has no tests the second time.
    for (const test of tests) await import(pathToFileURL(resolve(test)).href)
    if (mocha.suite.total() === 0) throw new Error('there are no tests')
    return await new Promise((done) => mocha.run((failures) => done(failures === 0)))
  } catch {
    return false
  } finally {
    Date.now = realNow
    mocha.dispose()
  }
}

function isValid(code: string): boolean {
  try {
    stripTypeScriptTypes(code)
    return true
  } catch {
    return false
  }
}

function described({ line, from, to }: Mutant): string {
  return `${file}:${line}\n  - ${from}\n  + ${to}`
}
