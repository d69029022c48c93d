import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { builtKit } from './built-kit.ts'
import { listening } from './site.ts'

const ROOT = new URL('../../../../', import.meta.url)
const KIT = '/modules/oidc-provider-impersonation/'
const OAUTH = '/modules/oauth4webapi/index.js'

/** Import map of a page without a build step. */
export const IMPORT_MAP = JSON.stringify({
  imports: {
    'oidc-provider-impersonation-browser': `${KIT}index.js`,
    oauth4webapi: OAUTH,
  },
})

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Shop</title>
<link rel="icon" href="data:,">
<script type="importmap">${IMPORT_MAP}</script>
<script type="module" src="/application.js"></script>
</head>
<body><main><h1>Shop</h1><p id="said"></p></main></body>
</html>`

/** The customer's application. Every path is the same page, as in applications with a router. */
export async function startApplication() {
  /** The paths and headers of requests, in order. */
  const requests: Array<{ url: string; referer: string | undefined }> = []
  const site = await listening('localhost', (request, response) => {
    requests.push({ url: String(request.url), referer: request.headers.referer })
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  const application = {
    ...site,
    requests,
    /** The module that the page runs. */
    script: '',
    /** Further directives of the policy, such as `connect-src`. */
    policy: '',
    page: PAGE,
    /** Instead of the policy of this file. */
    headers: undefined as Readonly<Record<string, string>> | undefined,
    /** Further files, by path. */
    files: {} as Readonly<Record<string, string>>,
  }
  return application

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(String(request.url), site.url)
    const script = await scriptAt(pathname)
    if (script !== undefined) {
      response.setHeader('content-type', 'text/javascript; charset=utf-8')
      response.end(script)
      return
    }
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    const headers = application.headers ?? {
      'content-security-policy': policyOf(application.page) + application.policy,
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(application.page)
  }

  async function scriptAt(path: string): Promise<string | undefined> {
    if (path === '/application.js') return application.script
    if (path in application.files) return application.files[path]
    if (path === OAUTH) return read('node_modules/oauth4webapi/build/index.js')
    if (!path.startsWith(KIT)) return undefined
    return readFile(join(await builtKit(), path.slice(KIT.length)), 'utf8')
  }
}

/** As strict as a policy can be: no inline script but the import map, no sink of Trusted Types. */
function policyOf(page: string): string {
  const hashes = importMapHashes(page).map((hash) => ` '${hash}'`)
  return `default-src 'none'; script-src 'self'${hashes.join('')}; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; `
}

/** Returns the `script-src` hashes of the import maps of a page. */
function importMapHashes(page: string): string[] {
  const inline = [...page.matchAll(/<script type="importmap">(.*?)<\/script>/gs)]
  return inline.map(
    ([, text = '']) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
  )
}

async function read(path: string): Promise<string> {
  return readFile(new URL(path, ROOT), 'utf8')
}
