import { type Visit, visit } from '../../../packages/console/test/e2e/support/visit.ts'
import { type Example, listen } from '../../example-provider/support.ts'

/** What the test server answers with, and no page may keep. */
export const TOKEN = 'a-token-that-nobody-else-may-ever-see'

const POLICY = "default-src 'self'; img-src data:; connect-src *"

/** A page without a fault, and a token for each request. */
export function blamelessPage(): Promise<Example> {
  return listen((request, response) => {
    switch (`${request.method} ${request.url?.replace(/\?.*/, '')}`) {
      case 'GET /':
        response.setHeader('content-type', 'text/html')
        response.setHeader('content-security-policy', POLICY)
        response.end(`<!doctype html><html lang="en"><head><title>A page</title>
<link rel="icon" href="data:,"></head><body><main><h1>A page</h1></main></body></html>`)
        return
      case 'POST /token':
        response.setHeader('content-type', 'application/json; charset=utf-8')
        response.end(JSON.stringify({ access_token: TOKEN, expires_in: 60 }))
        return
      default:
        response.writeHead(404).end()
    }
  })
}

/** What is said at the end of a visit in which this happens; nothing where all is well. */
export async function objections(
  base: string,
  happen: (person: Visit) => Promise<unknown>,
): Promise<string> {
  let happened = false
  try {
    await using person = await visit(base)
    await person.page.goto('/')
    await happen(person)
    happened = true
  } catch (error) {
    if (happened && error instanceof Error) return error.message
    throw error
  }
  return ''
}
