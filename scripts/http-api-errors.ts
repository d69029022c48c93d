// Writes the tables of errors in docs/http-api.md from docs/openapi.yaml. Run it with `npm run docs:options`.
import { readFileSync, writeFileSync } from 'node:fs'
import { type DescribedError, describedErrors } from './openapi-errors.ts'

const TARGET = new URL('../docs/http-api.md', import.meta.url)
/** A comment in the document names the operations, or `shared` or `dpop`. Their table follows it. */
const TABLE = /(<!-- errors of ([\w ]+) -->\n\n)(?:\|.*\n)*/g
/** Its description stands for no other: the token endpoint says so of each of its tables. */
const ALONE = ['machineToken', 'exchangeToken']

const errors = describedErrors()

/** The document with the tables as docs/openapi.yaml has them now. */
export function withErrors(document: string): string {
  const groups = [...document.matchAll(TABLE)].map(([, , names = '']) => names.split(' '))
  const sharing = groups.filter(([name = '']) => errors.has(name) && !ALONE.includes(name))
  const tables = sharing.map((names) => new Set(namedErrors(names).map(({ at }) => at)))
  const isShared = ({ at }: DescribedError) => tables.filter((table) => table.has(at)).length > 1
  return document.replace(TABLE, (_, comment: string, names: string) => {
    if (names === 'dpop') return `${comment}${table(proofErrors(), ['error', 'description'])}`
    const isHere = (error: DescribedError) =>
      ALONE.includes(names) || isShared(error) === (names === 'shared')
    const all = namedErrors(names === 'shared' ? sharing.flat() : names.split(' '))
    const rows = all.filter((error) => isHere(error) && !isOfProof(error))
    return `${comment}${table(rows, ['status', 'error', 'description'])}`
  })
}

/** Each error of the operations once, by status. */
function namedErrors(operations: readonly string[]): DescribedError[] {
  const all = operations.flatMap((name) => errors.get(name) ?? unknownOperation(name))
  return [...new Map(all.map((error) => [error.at, error])).values()].sort(
    (one, other) => Number(one.status) - Number(other.status),
  )
}

function proofErrors(): DescribedError[] {
  const all = [...errors.values()].flat().filter(isOfProof)
  return [...new Map(all.map((error) => [error.at, error])).values()]
}

function isOfProof({ error }: DescribedError): boolean {
  return error === 'invalid_dpop_proof' || error === 'use_dpop_nonce'
}

function unknownOperation(name: string): never {
  throw new Error(`docs/openapi.yaml has no operation ${name}`)
}

function table(
  rows: readonly DescribedError[],
  columns: ReadonlyArray<'status' | 'error' | 'description'>,
): string {
  const heads = { status: 'status', error: '`error`', description: '`error_description`' }
  const lines = rows.map((row) => {
    const cells = { ...row, error: `\`${row.error}\`` }
    return [...columns.map((name) => cells[name]), `${row.cause} ${row.remedy}`]
  })
  const all = [[...columns.map((name) => heads[name]), 'cause, and what to do'], ...lines]
  const [head, ...body] = all.map((cells) => `| ${cells.join(' | ')} |\n`)
  return [head, `|${'---|'.repeat(columns.length + 1)}\n`, ...body].join('')
}

if (import.meta.main) writeFileSync(TARGET, withErrors(readFileSync(TARGET, 'utf8')))
