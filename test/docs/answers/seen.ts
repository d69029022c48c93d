import { parse } from 'yaml'
import { MACHINE_TOKEN } from '../../../scripts/openapi-errors.ts'
import { type Answer, answerOf } from '../../support/http.ts'

/** An answer that a server gave to a request of one of the operations. */
export interface SeenAnswer {
  readonly operation: string
  /** The request, for people. */
  readonly what: string
  readonly answer: Answer
  /** The body of the request, where the schema of requests has to judge as the server does. */
  readonly request?: unknown
}

let malformed = false

/** Marks requests that no schema may take, as the server does not. */
export async function asMalformed(send: () => Promise<unknown>): Promise<void> {
  malformed = true
  await send()
  malformed = false
}

/** Every answer that `fetch` gets meanwhile from a path of docs/openapi.yaml. */
export async function answersDuring(
  document: string,
  use: () => Promise<void>,
): Promise<SeenAnswer[]> {
  const operationOf = operations(document)
  const seen: SeenAnswer[] = []
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname, search } = new URL(String(input))
    const body = bodyOf(init?.body)
    const operation = operationOf(pathname, body)
    if (operation !== undefined) {
      const answer = await answerOf(response.clone())
      const isJudged = malformed || answer.status < 300
      const what = `${init?.method ?? 'GET'} ${pathname}${search} ${JSON.stringify(body)?.slice(0, 300)}`
      seen.push({ operation, what, answer, ...(isJudged ? { request: body } : {}) })
    }
    return response
  }
  try {
    await use()
  } finally {
    globalThis.fetch = fetch
  }
  return seen
}

/** The operation of a path. The token endpoint's is told by the grant. */
function operations(document: string): (path: string, body: unknown) => string | undefined {
  const paths: Record<string, Record<string, { operationId: string }>> = parse(document).paths
  const patterns = Object.entries(paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[\\w-]+')}$`),
    isExact: !path.includes('{'),
    operation: Object.values(methods)[0]?.operationId,
  }))
  return (path, body) => {
    const { grant_type }: { grant_type?: unknown } = Object(body)
    if (grant_type === 'client_credentials') return MACHINE_TOKEN
    if (grant_type === 'authorization_code') return undefined
    const found = patterns.filter(({ pattern }) => pattern.test(path))
    return (found.find(({ isExact }) => isExact) ?? found[0])?.operation
  }
}

function bodyOf(body: unknown): unknown {
  if (body instanceof URLSearchParams) {
    const oneOrAll = (all: string[]) => (all.length > 1 ? all : all[0])
    return Object.fromEntries([...body.keys()].map((name) => [name, oneOrAll(body.getAll(name))]))
  }
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
