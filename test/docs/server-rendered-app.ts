import { deepEqual, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, Server } from 'node:http'
import { format } from 'node:util'
import type { Application } from 'oidc-provider-impersonation-console'
import { movedClock } from '../../packages/console/test/e2e/support/moved-clock.ts'
import {
  type Caller,
  requireScope,
  resourceServer,
} from '../../packages/resource-server/src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { closed } from '../support/token-issuer.ts'
import type { Browser } from './browser-by-hand.ts'
import { snippetsOf } from './documents.ts'

export const CONSOLE = 'https://support.example.com'
/** The API's name at the provider, which is not its address. */
const RESOURCE = 'https://orders.example.com/v1'

interface ServerRenderedOptions {
  /** The framework of the server. @defaultValue `'Express'` */
  readonly framework?: 'Express' | 'Hono'
  /** The host under which browsers know the shop. @defaultValue `'127.0.0.1'` */
  readonly host?: string
  /** The origin of the support console. @defaultValue {@link CONSOLE} */
  readonly backOffice?: string
  /** Of the deployment, beside the shop. */
  readonly clients?: DeploymentOptions['clients']
  readonly configuration?: NonNullable<DeploymentOptions['configuration']>
}

export type ServerRendered = Awaited<ReturnType<typeof serverRendered>>

/** The shop of the document, with a provider and an API, in this process, on ports of their own. */
export async function serverRendered({
  framework = 'Express',
  host = '127.0.0.1',
  backOffice = CONSOLE,
  clients = [],
  configuration = {},
}: ServerRenderedOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const snippets = stack.use(await snippetsOf('server-rendered.md', 'js'))
  const [shopPort, apiPort] = [await freePort(), await freePort()]
  const [origin, api] = [`http://${host}:${shopPort}`, `http://127.0.0.1:${apiPort}`]
  const { env } = process
  stack.defer(() => void Object.assign(process, { env }))
  process.env = {
    ...env,
    CLIENT_ID: 'shop',
    CLIENT_SECRET: 'shop-secret',
    ORIGIN: origin,
    PORT: String(shopPort),
    BACK_OFFICE: backOffice,
    API: api,
    RESOURCE,
  }

  const { shop, impersonation } = await snippets.load('What the provider needs')
  ok(shop instanceof Object && impersonation instanceof Object)
  ok('managementApi' in impersonation && impersonation.managementApi instanceof Object)
  const managementApi = { requireBinding: ['mayAct'] as const }
  deepEqual({ ...impersonation.managementApi, ...managementApi }, impersonation.managementApi)
  const deployment = await deploy({
    accounts: new Set(['alice', 'bob', 'olivia', 'mallory', '<b>eve']),
    clients: [{ client_id: 'shop', ...shop }, ...clients],
    configuration,
    resources: {
      [RESOURCE]: 'orders:read',
    },
    impersonation: {
      ...impersonation,
      managementApi,
      async getCustomJwtClaims({ context }) {
        const { ticketId } = context.grant.subjectTokenContext ?? {}
        return { impersonation_context: { ticket_id: ticketId } }
      },
    },
  })
  stack.defer(() => deployment.close())
  process.env.ISSUER = deployment.issuer

  const orders = createServer((request: IncomingMessage & { caller?: Caller }, response) => {
    // A new guard each time: it has no copy of a status list yet.
    const guard = resourceServer({ issuer: deployment.issuer, audience: RESOURCE })
    guard.connect(requireScope('orders:read'))(request, response, () => {
      const { caller } = request
      response.end(JSON.stringify([`beans of ${caller?.userId}, seen by ${caller?.actor?.sub}`]))
    })
  })
  orders.listen(apiPort, '127.0.0.1')
  await once(orders, 'listening')
  stack.defer(() => closed(orders))

  const { error } = console
  const printed: string[] = []
  console.error = (...parts) => printed.push(format(...parts))
  stack.defer(() => void Object.assign(console, { error }))
  const { server } = await snippets.load(
    '# Your application on the server',
    framework === 'Express' ? 1 : 2,
  )
  // supportConsole() checks them.
  const { applications } = (await snippets.load('The hand-over')) as {
    applications: readonly Application[]
  }
  ok(server instanceof Server)
  stack.defer(() => closed(server))
  const clock = stack.use(movedClock())

  const owned = stack.move()
  return {
    origin,
    applications,
    deployment,
    /** The lines that the shop has printed. */
    log: () => printed.join('\n'),
    /** Issued for olivia at the shop, as the support team's backend does. */
    subjectToken(userId = 'alice') {
      const mayAct = { sub: 'olivia', clientId: 'shop' }
      return deployment.subjectToken({ userId, mayAct, context: { ticketId: 'SUP-123' } })
    },
    /** Signs an operator in at the provider. */
    async signIn(browser: Browser, sub: string) {
      browser.setCookie(deployment.base, (await signIn(deployment, sub)).cookie)
    },
    /** Posts the form of the support console, and follows where it leads. */
    handOver: (browser: Browser, impersonation: string, until?: (url: string) => boolean) =>
      browser.post(`${origin}/impersonation`, { impersonation }, CONSOLE, until),
    pressEnd: (browser: Browser) => browser.post(`${origin}/impersonation/end`, {}, origin),
    passTime: (seconds: number) => clock.by(seconds * 1000),
    stopApi: () => closed(orders),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
