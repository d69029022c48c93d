import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** An error that docs/openapi.yaml describes. */
export interface DescribedError {
  /** Its place in the document, behind every reference. Answers that share an error share the place. */
  readonly at: string
  readonly status: string
  readonly error: string
  /** Its `error_description`: `{name}` stands for any text, `…` for any text or none. */
  readonly description: string
  readonly cause: string
  /** Empty if the cause says it. */
  readonly remedy: string
}

/** The operation that stands for a request for a machine token. */
export const MACHINE_TOKEN = 'machineToken'

const FILE = new URL('../docs/openapi.yaml', import.meta.url)

/** The errors of each operation, in the order of the document. */
export function describedErrors(): ReadonlyMap<string, readonly DescribedError[]> {
  const root: unknown = parse(readFileSync(FILE, 'utf8'))

  /** The part at a path, behind its `$ref` if it is one. */
  function resolve(path: readonly string[]): {
    at: readonly string[]
    node: Record<string, unknown>
  } {
    const node = path.reduce<unknown>((tree, key) => Object(tree)[key], root)
    const { $ref }: { $ref?: unknown } = Object(node)
    return typeof $ref === 'string'
      ? resolve($ref.slice(2).split('/'))
      : { at: path, node: { ...Object(node) } }
  }

  function errorAt(path: readonly string[], status: string): DescribedError {
    const { at, node } = resolve(path)
    const { value, ...said } = node
    const { error, error_description: description }: Record<string, unknown> = Object(value)
    const member = (name: string, text: unknown) => {
      if (typeof text === 'string') return text.trim().replaceAll('\n', ' ')
      throw new Error(`docs/openapi.yaml: ${at.join('/')} needs ${name}`)
    }
    return {
      at: at.join('/'),
      status,
      error: member('value.error', error),
      description: member('a description', said['x-description'] ?? description),
      cause: member('x-cause', said['x-cause']),
      remedy: member('x-remedy', said['x-remedy'] ?? ''),
    }
  }

  function errorsAt(path: readonly string[], examples: readonly string[]): DescribedError[] {
    return keysAt(path).flatMap((status) => {
      if (status < '400') return []
      const all = [...resolve([...path, status]).at, ...examples]
      return keysAt(all).map((name) => errorAt([...all, name], status))
    })
  }

  function keysAt(path: readonly string[]): string[] {
    return Object.keys(resolve(path).node)
  }

  const operations = keysAt(['paths']).flatMap((route) =>
    keysAt(['paths', route]).map((method) => {
      const path = ['paths', route, method]
      const { operationId } = resolve(path).node
      const errors = errorsAt([...path, 'responses'], ['content', 'application/json', 'examples'])
      return [String(operationId), errors] as const
    }),
  )
  const machineToken = ['components', 'securitySchemes', 'machineToken', 'x-errors']
  return new Map([...operations, [MACHINE_TOKEN, errorsAt(machineToken, [])]])
}

/** The error that an answer has: one that says exactly that, before one that leaves room. */
export function errorOf(
  errors: readonly DescribedError[],
  answer: { readonly status: number; readonly body: unknown },
): DescribedError | undefined {
  const { error, error_description: said = '' }: Record<string, unknown> = Object(answer.body)
  const possible = errors.filter(
    (each) => each.status === String(answer.status) && each.error === error,
  )
  const exact = possible.find(({ description }) => description === said)
  return exact ?? possible.find(({ description }) => patternOf(description).test(String(said)))
}

function patternOf(description: string): RegExp {
  if (description === '…') return /^/
  const parts = description
    .split(/\{[^}]*\}/)
    .map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}
