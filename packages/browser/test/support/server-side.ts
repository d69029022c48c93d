import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../../../src/index.ts'
import {
  type Deployment,
  type DeploymentOptions,
  deploy,
} from '../../../../test/support/deployment.ts'
import { signIn } from '../../../../test/support/sign-in.ts'
import { type Caller, resourceServer } from '../../../resource-server/src/index.ts'
import {
  createImpersonations,
  type ImpersonationError,
  type Impersonations,
  type ImpersonationsOptions,
  memoryStore,
} from '../../src/server.ts'

export const ORIGIN = 'https://shop.example.com'
export const BACK_OFFICE = 'https://support.example.com'
const RESOURCE = 'https://api.example.com'

/** A browser of an operator: the cookies of the application, and a session at the provider. */
export interface OperatorBrowser {
  /** The header `Cookie` for the application. */
  cookie: string
  /** Posts the form, asks the provider, and comes back. */
  handOver(subjectToken: string): Promise<Response>
  /** Posts the form and asks the provider: the address at which the provider answers. */
  callbackOf(subjectToken: string): Promise<string>
  get(url: string): Promise<Response>
  end(): Promise<Response>
  current(): ReturnType<Impersonations['current']>
  /** As a browser does it with `Set-Cookie`. */
  keep(headers: Headers): void
}

/** A provider and an API over HTTP, and the part for servers of an application. */
export interface ServerSide extends AsyncDisposable {
  readonly deployment: Deployment
  readonly impersonations: Impersonations
  readonly api: string
  /** What `onError` was called with. */
  readonly errors: ImpersonationError[]
  /** Sends what the part for servers sends; a test replaces it. */
  fetch: typeof globalThis.fetch
  subjectToken(request?: object): Promise<string>
  operator(sub?: string): Promise<OperatorBrowser>
}

export async function startServerSide(
  options: Partial<ImpersonationsOptions> = {},
  deploymentOptions: DeploymentOptions = {},
): Promise<ServerSide> {
  await using stack = new AsyncDisposableStack()
  const deployment = await deploy({
    accounts: new Set(['alice', 'bob', 'olivia', 'mallory']),
    ...deploymentOptions,
    clients: [
      {
        client_id: 'shop',
        client_secret: 'shop-secret',
        redirect_uris: [`${ORIGIN}/impersonation`],
        grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      },
    ],
    resources: {
      [RESOURCE]: 'orders:read orders:write',
      ...deploymentOptions.resources,
    },
    impersonation: {
      applications: ['shop'],
      getCustomJwtClaims: async ({ context }) => ({
        impersonation_context: context.grant.subjectTokenContext,
      }),
      ...deploymentOptions.impersonation,
    },
  })
  stack.defer(() => deployment.close())
  const orders = await startApi(deployment.issuer)
  stack.defer(() => closed(orders))
  const api = `http://127.0.0.1:${(orders.address() as AddressInfo).port}`

  const errors: ImpersonationError[] = []
  const side = { fetch: globalThis.fetch }
  const impersonations = createImpersonations({
    issuer: deployment.issuer,
    clientId: 'shop',
    clientSecret: 'shop-secret',
    redirectUri: `${ORIGIN}/impersonation`,
    resource: RESOURCE,
    scope: 'orders:read',
    from: BACK_OFFICE,
    next: '/orders',
    origins: [api],
    store: memoryStore(),
    onError: (error) => errors.push(error),
    fetch: (input, init) => side.fetch(input, init),
    ...options,
  })

  const owned = stack.move()
  return Object.assign(side, {
    deployment,
    impersonations,
    api,
    errors,
    async subjectToken(request: object = {}) {
      const mayAct = { sub: 'olivia', clientId: 'shop' }
      const { body } = await deployment.issue({ userId: 'alice', mayAct, ...request })
      if (!body.subjectToken) throw new Error(JSON.stringify(body))
      return body.subjectToken
    },
    async operator(sub = 'olivia') {
      const { cookie } = await signIn(deployment, sub)
      return browserOf(impersonations, cookie)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  })
}

/** The form of the back office. */
export function form(
  subjectToken: string,
  { origin = BACK_OFFICE, ...headers }: Readonly<Record<string, string>> = {},
): Request {
  const body = new URLSearchParams({ impersonation: subjectToken })
  return new Request(`${ORIGIN}/impersonation`, {
    method: 'POST',
    body,
    headers: { origin, ...headers },
  })
}

function browserOf(impersonations: Impersonations, atProvider: string): OperatorBrowser {
  const cookies = new Map<string, string>()
  const browser: OperatorBrowser = {
    get cookie() {
      return [...cookies].map((pair) => pair.join('=')).join('; ')
    },
    keep(headers) {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
    },
    async callbackOf(subjectToken) {
      const begun = await impersonations.accept(form(subjectToken))
      browser.keep(begun.headers)
      const answer = await fetch(String(begun.headers.get('location')), {
        redirect: 'manual',
        headers: { cookie: atProvider },
      })
      return String(answer.headers.get('location'))
    },
    async get(url) {
      const request = new Request(url, { headers: { cookie: browser.cookie } })
      const response = await impersonations.accept(request)
      browser.keep(response.headers)
      return response
    },
    async handOver(subjectToken) {
      return browser.get(await browser.callbackOf(subjectToken))
    },
    async end() {
      const headers = { cookie: browser.cookie, origin: ORIGIN }
      const url = `${ORIGIN}/impersonation/end`
      const response = await impersonations.end(new Request(url, { method: 'POST', headers }))
      browser.keep(response.headers)
      return response
    },
    current: () => impersonations.current({ headers: new Headers({ cookie: browser.cookie }) }),
  }
  return browser
}

/** Guarded, but for `/another-sign-in`, which wants another sign-in of the operator. */
async function startApi(issuer: string): Promise<Server> {
  const server = createServer((request: IncomingMessage & { caller?: Caller }, response) => {
    if (request.url === '/another-sign-in') {
      const challenge = 'Bearer error="insufficient_user_authentication"'
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return
    }
    if (request.url === '/elsewhere') {
      response.writeHead(302, { location: '/caught' }).end()
      return
    }
    // A new guard each time: it has no copy of a status list yet.
    const guard = resourceServer({ issuer, audience: RESOURCE })
    guard.connect()(request, response, () => response.end(`orders of ${request.caller?.userId}`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return server
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
