import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { confidential } from '../../../../test/support/clients.ts'
import { type DeploymentOptions, deploy } from '../../../../test/support/deployment.ts'
import { signIn } from '../../../../test/support/sign-in.ts'
import { type Caller, resourceServer } from '../../../resource-server/src/index.ts'
import {
  createImpersonations,
  type ImpersonationError,
  type Impersonations,
  type ImpersonationsOptions,
  memoryStore,
} from '../../src/server.ts'
import { listening } from './site.ts'

export const ORIGIN = 'https://shop.example.com'
export const BACK_OFFICE = 'https://support.example.com'
const RESOURCE = 'https://api.example.com'

export type ServerSide = Awaited<ReturnType<typeof startServerSide>>

/** A provider and an API over HTTP, and the part for servers of an application. */
export async function startServerSide(
  options: Partial<ImpersonationsOptions> = {},
  deploymentOptions: DeploymentOptions = {},
) {
  await using stack = new AsyncDisposableStack()
  const deployment = await deploy({
    accounts: new Set(['alice', 'bob', 'olivia', 'mallory']),
    ...deploymentOptions,
    clients: [
      {
        ...confidential,
        client_id: 'shop',
        client_secret: 'shop-secret',
        redirect_uris: [`${ORIGIN}/impersonation`],
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
  const { url: api } = stack.use(await startApi(deployment.issuer))

  /** Errors that `onError` was called with. */
  const errors: ImpersonationError[] = []
  /** Sends what the part for servers sends; a test replaces it. */
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
  const subjectToken = (request: object = {}) =>
    deployment.subjectToken({ mayAct: { sub: 'olivia', clientId: 'shop' }, ...request })
  return Object.assign(side, {
    deployment,
    impersonations,
    api,
    errors,
    codes: () => errors.map(({ code }) => code),
    subjectToken,
    async operator(sub = 'olivia') {
      const { cookie } = await signIn(deployment, sub)
      return new OperatorBrowser(impersonations, cookie, subjectToken)
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

/** A browser of an operator: the cookies of the application, and a session at the provider. */
class OperatorBrowser {
  readonly #impersonations: Impersonations
  readonly #atProvider: string
  readonly #subjectToken: (request?: object) => Promise<string>
  readonly #cookies = new Map<string, string>()

  constructor(
    impersonations: Impersonations,
    atProvider: string,
    subjectToken: (request?: object) => Promise<string>,
  ) {
    this.#impersonations = impersonations
    this.#atProvider = atProvider
    this.#subjectToken = subjectToken
  }

  /** The header `Cookie` for the application. */
  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ')
  }

  /** As a browser does it with `Set-Cookie`. */
  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }

  /** Posts the form and asks the provider: the address at which the provider answers. */
  async callbackOf(subjectToken?: string): Promise<string> {
    const token = subjectToken ?? (await this.#subjectToken())
    const begun = await this.#impersonations.accept(form(token))
    this.keep(begun.headers)
    const answer = await fetch(String(begun.headers.get('location')), {
      redirect: 'manual',
      headers: { cookie: this.#atProvider },
    })
    return String(answer.headers.get('location'))
  }

  async get(url: string): Promise<Response> {
    const request = new Request(url, { headers: { cookie: this.cookie } })
    const response = await this.#impersonations.accept(request)
    this.keep(response.headers)
    return response
  }

  /** Posts the form with a token, asks the provider, and comes back. */
  async handOver(request?: object): Promise<Response> {
    return this.get(await this.callbackOf(await this.#subjectToken(request)))
  }

  async end(): Promise<Response> {
    const headers = { cookie: this.cookie, origin: ORIGIN }
    const url = `${ORIGIN}/impersonation/end`
    const response = await this.#impersonations.end(new Request(url, { method: 'POST', headers }))
    this.keep(response.headers)
    return response
  }

  async expectState(state: string): Promise<void> {
    expect((await this.current())?.state).to.equal(state)
  }

  current() {
    return this.#impersonations.current({ headers: new Headers({ cookie: this.cookie }) })
  }
}

/** Guarded, but for `/another-sign-in`, which wants another sign-in of the operator. */
function startApi(issuer: string) {
  return listening('127.0.0.1', (request: IncomingMessage & { caller?: Caller }, response) => {
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
}
