import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { describedErrors, errorOf } from '../../scripts/openapi-errors.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import type { Answer } from './http.ts'

type Tree = Readonly<Record<string, unknown>>

/** Returns the complaint about a value, if there is one. */
export type Check = (value: unknown) => string | undefined

/** Headers of HTTP itself. A Content-Type is the key of the body's schema. */
const NOT_DESCRIBED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  // Express has it by default.
  'x-powered-by',
])

export const OPENAPI = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8')
export const document: Tree = parse(OPENAPI)
const ajv = new Ajv2020({ strict: true, allErrors: true })
formats.default(ajv)
// The members of the document beside the schemas are no keywords.
ajv.addVocabulary(Object.keys(document))
ajv.addSchema(document, 'openapi.yaml', undefined, false)

/** The part at a path, behind its `$ref` if it has one, and its own path. */
function part(path: readonly string[]): { path: readonly string[]; tree: Tree } {
  const tree = path.reduce<unknown>((node, key) => Object(node)[key], document)
  const { $ref }: { $ref?: unknown } = Object(tree)
  if (typeof $ref === 'string') return part($ref.slice(2).split('/'))
  return { path, tree: Object(tree) }
}

const checks = new Map<string, Check>()

/** Compiles the schema at a path in place, so that its references keep their meaning. */
export function checkAt(path: readonly string[]): Check {
  const pointer = path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  let check = checks.get(pointer)
  if (!check) {
    const validate = ajv.compile({ $ref: `openapi.yaml#/${encodeURI(pointer)}` })
    check = (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors))
    checks.set(pointer, check)
  }
  return check
}

interface Operation {
  readonly id: string
  readonly pattern: RegExp
  readonly path: readonly string[]
}

/** The operations, those without a parameter in their path first. Each path has one method. */
const operations: readonly Operation[] = Object.entries(part(['paths']).tree)
  .map(([route, methods]): Operation => {
    const [method = ''] = Object.keys(Object(methods))
    const path = ['paths', route, method]
    const pattern = new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[\\w-]+')}$`)
    return { id: String(part(path).tree.operationId), pattern, path }
  })
  .toSorted((one, other) => one.pattern.source.length - other.pattern.source.length)

const errors = describedErrors()

/**
 * Differences between an answer and docs/openapi.yaml: a status, header, body or error that the
 * document does not have. An answer of another route has none.
 *
 * @param grantType of a request to the token endpoint, which has the answers of every grant
 */
export function differences(url: string, answer: Answer, grantType?: unknown): string[] {
  const { pathname } = new URL(url)
  const operation = operations.find(({ pattern }) => pattern.test(pathname))
  if (!operation || isNoRoute(answer)) return []
  if (operation.id === 'exchangeToken' && grantType !== TOKEN_EXCHANGE_GRANT_TYPE) return []
  const { path, tree } = part([...operation.path, 'responses', String(answer.status)])
  const wrong =
    Object.keys(tree).length === 0
      ? ['is not described']
      : [...wrongHeaders(path, answer.headers), ...wrongBody(path, answer)]
  const isError = answer.status > 399 && mediaType(answer.headers) === 'application/json'
  if (isError && !errorOf(errors.get(operation.id) ?? [], answer)) {
    wrong.push(`has no example: ${JSON.stringify(answer.body)}`)
  }
  return wrong.map((each) => `${operation.id} ${pathname}: ${answer.status} ${each}`)
}

/** A deployment without the route. */
function isNoRoute({ status, body }: Answer): boolean {
  return status === 404 && body === 'Not Found'
}

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
}

function wrongHeaders(path: readonly string[], headers: Headers): string[] {
  const wrong: string[] = []
  const described = Object.keys(part([...path, 'headers']).tree)
  for (const [name, value] of headers) {
    if (NOT_DESCRIBED.has(name)) continue
    const found = described.find((each) => each.toLowerCase() === name)
    const header = part([...path, 'headers', found ?? ''])
    const schema = [...header.path, 'schema']
    const isNumber = part(schema).tree.type === 'integer'
    const error = found ? checkAt(schema)(isNumber ? Number(value) : value) : 'is not described'
    if (error !== undefined) wrong.push(`${name}: ${value} ${error}`)
  }
  for (const name of described) {
    const { required } = part([...path, 'headers', name]).tree
    if (required === true && !headers.has(name)) wrong.push(`${name} is missing`)
  }
  return wrong
}

function wrongBody(path: readonly string[], { headers, body }: Answer): string[] {
  const type = mediaType(headers)
  const described = Object.keys(part([...path, 'content']).tree)
  if (described.length === 0 && type === '' && body === '') return []
  if (!described.includes(type)) return [`${type} is not described`]
  const error = checkAt([...path, 'content', type, 'schema'])(body)
  return error === undefined ? [] : [`${JSON.stringify(body)}: ${error}`]
}
