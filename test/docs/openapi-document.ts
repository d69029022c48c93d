import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { describedErrors, errorOf, MACHINE_TOKEN } from '../../scripts/openapi-errors.ts'
import type { Answer } from '../support/http.ts'
import type { SeenAnswer } from './answers/seen.ts'

const FILE = new URL('../../docs/openapi.yaml', import.meta.url)

type Tree = Readonly<Record<string, unknown>>
/** What is wrong with a value; `undefined` for nothing. */
type Check = (value: unknown) => string | undefined

/** docs/openapi.yaml, to hold answers against. */
export interface OpenApiDocument {
  readonly text: string
  readonly root: Tree
  /** What the document does not say of an answer, or says otherwise. */
  differences(seen: SeenAnswer): string[]
  /** What the document says and no answer has shown: statuses, headers, bodies, errors. */
  unseen(seen: readonly SeenAnswer[]): string[]
}

/** Headers of HTTP itself. A Content-Type is the key of what it describes. */
const NOT_DESCRIBED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
])

interface DescribedHeader {
  readonly required: boolean
  readonly check: Check
}

interface DescribedAnswer {
  readonly headers: ReadonlyMap<string, DescribedHeader>
  readonly bodies: ReadonlyMap<string, Check>
}

interface DescribedOperation {
  readonly request: Check
  readonly answers: ReadonlyMap<string, DescribedAnswer>
}

export async function readOpenApiDocument(): Promise<OpenApiDocument> {
  const text = await readFile(FILE, 'utf8')
  const root: Tree = parse(text)
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  formats.default(ajv)
  // Beside the schemas, the document is no schema: its own members are no keywords.
  ajv.addVocabulary(Object.keys(root))
  ajv.addSchema(root, 'openapi.yaml', undefined, false)

  /** The part at a path, behind its `$ref` if it is one, and where that is. */
  function part(path: readonly string[]): { path: readonly string[]; tree: Tree } {
    const tree = path.reduce<unknown>((node, key) => Object(node)[key], root)
    const { $ref }: { $ref?: unknown } = Object(tree)
    if (typeof $ref === 'string') return part($ref.slice(2).split('/'))
    return { path, tree: Object(tree) }
  }

  function keys(path: readonly string[]): string[] {
    return Object.keys(part(path).tree)
  }

  /** Compiles the schema at a path in place, so that its references lead where they lead there. */
  function checkOf(path: readonly string[]): Check {
    const pointer = path.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const validate = ajv.compile({ $ref: `openapi.yaml#/${encodeURI(pointer)}` })
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors))
  }

  function headerAt(path: readonly string[]): DescribedHeader {
    const header = part(path)
    const isNumber = part([...header.path, 'schema']).tree.type === 'integer'
    const check = checkOf([...header.path, 'schema'])
    return {
      required: header.tree.required === true,
      check: (value) => check(isNumber ? Number(value) : value),
    }
  }

  function answerAt(at: readonly string[]): DescribedAnswer {
    const { path } = part(at)
    const headers = keys([...path, 'headers']).map(
      (name) => [name.toLowerCase(), headerAt([...path, 'headers', name])] as const,
    )
    const bodies = keys([...path, 'content']).map(
      (type) => [type, checkOf([...path, 'content', type, 'schema'])] as const,
    )
    return { headers: new Map(headers), bodies: new Map(bodies) }
  }

  const operations = new Map<string, DescribedOperation>()
  for (const route of keys(['paths'])) {
    for (const method of keys(['paths', route])) {
      const path = ['paths', route, method]
      const [type = ''] = keys([...path, 'requestBody', 'content'])
      const request = [...path, 'requestBody', 'content', type]
      const statuses = keys([...path, 'responses'])
      const answers = statuses.map(
        (status) => [status, answerAt([...path, 'responses', status])] as const,
      )
      operations.set(String(part(path).tree.operationId), {
        request: type === '' ? () => 'has no body' : checkOf([...request, 'schema']),
        answers: new Map(answers),
      })
    }
  }

  const errors = describedErrors()

  return {
    text,
    root,
    differences({ operation, what, answer, request }) {
      const described = operations.get(operation)
      const said = described?.answers.get(String(answer.status))
      const wrong = said
        ? [
            ...wrongHeaders(said, answer.headers),
            ...wrongBody(said, answer),
            ...wrongRequest(described, request, answer.status),
          ]
        : []
      if (!said && operation !== MACHINE_TOKEN) wrong.push('is not described')
      if (isError(answer) && !errorOf(errors.get(operation) ?? [], answer)) {
        wrong.push(`has no example: ${JSON.stringify(answer.body)}`)
      }
      return wrong.map((each) => `${operation}, ${what}: ${answer.status} ${each}`)
    },
    unseen(seen) {
      const errorsSeen = new Set(
        seen.map(({ operation, answer }) => errorOf(errors.get(operation) ?? [], answer)?.at),
      )
      const parts = [...operations].flatMap(([operation, { answers }]) =>
        [...answers].flatMap(([status, said]) => {
          const answersSeen = seen
            .filter((one) => one.operation === operation && String(one.answer.status) === status)
            .map(({ answer }) => answer)
          const missing = answersSeen.length === 0 ? ['at all'] : unseenParts(said, answersSeen)
          return missing.map((name) => `${operation}, ${status}: ${name}`)
        }),
      )
      const all = [...errors.values()].flat().map(({ at }) => at)
      return [...parts, ...new Set(all.filter((at) => !errorsSeen.has(at)))]
    },
  }
}

/** Pages for people say the same. */
function isError({ status, headers }: Answer): boolean {
  return status > 399 && mediaType(headers) === 'application/json'
}

function wrongRequest(
  described: DescribedOperation | undefined,
  request: unknown,
  status: number,
): string[] {
  if (request === undefined) return []
  const wrong = described?.request(request)
  if (status > 299) return wrong ? [] : [`the schema takes ${JSON.stringify(request)}`]
  return wrong ? [`the schema refuses ${JSON.stringify(request)}: ${wrong}`] : []
}

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
}

function wrongHeaders({ headers: said }: DescribedAnswer, headers: Headers): string[] {
  const wrong: string[] = []
  for (const [name, value] of headers) {
    if (NOT_DESCRIBED.has(name)) continue
    const header = said.get(name)
    const error = header ? header.check(value) : 'is not described'
    if (error !== undefined) wrong.push(`${name}: ${value} ${error}`)
  }
  for (const [name, { required }] of said) {
    if (required && !headers.has(name)) wrong.push(`${name} is missing`)
  }
  return wrong
}

function wrongBody({ bodies }: DescribedAnswer, { headers, body }: Answer): string[] {
  const type = mediaType(headers)
  if (bodies.size === 0 && type === '' && body === '') return []
  const check = bodies.get(type)
  if (!check) return [`${type} is not described`]
  const error = check(body)
  return error === undefined ? [] : [`${JSON.stringify(body)}: ${error}`]
}

function unseenParts(said: DescribedAnswer, seen: readonly Answer[]): string[] {
  return [
    ...[...said.headers.keys()].filter((name) => !seen.some(({ headers }) => headers.has(name))),
    ...[...said.bodies.keys()].filter(
      (type) => !seen.some(({ headers }) => mediaType(headers) === type),
    ),
  ]
}
