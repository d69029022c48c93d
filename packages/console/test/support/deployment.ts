import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import {
  ACCESS_TOKEN_TYPE,
  type AdapterFactory,
  type Authorize,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import {
  type AuditStore,
  type SupportConsole,
  type SupportConsoleOptions,
  supportConsole,
} from 'oidc-provider-impersonation-console'
import {
  denyImpersonation,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation-resource-server'
import { closed } from '../../../../test/support/token-issuer.ts'
import type { HandOver } from '../../src/features/impersonations/server/act.ts'
import { askAccount } from './account.ts'
import { memoryAudit } from './memory-audit.ts'
import { directory, STAFF } from './people.ts'
import { configuration, MACHINE } from './provider.ts'
import { collectLog } from './quiet.ts'
import { shop } from './shop.ts'
import { type SignedIn, type SignInOptions, signIn, signInPage } from './sign-in.ts'

export { CUSTOMERS, HOSTILE, STAFF } from './people.ts'

export interface DeploymentOptions {
  /** @defaultValue `memoryAudit()` */
  readonly audit?: AuditStore
  /** The storage of the provider. @defaultValue memory */
  readonly adapter?: AdapterFactory
  /** Another rule beside that of the deployment: both have to allow. */
  readonly authorize?: Authorize
  /** Replaces options of the console. */
  readonly console?: Partial<SupportConsoleOptions>
  /** Seconds. @defaultValue one hour */
  readonly accessTokenTtl?: number
  /** Of the provider and the console: to start it once more at the same address. */
  readonly port?: number
  /** Puts the console at another site than the provider. */
  readonly elsewhere?: boolean
  /** Middleware before all others: to delay or refuse requests. */
  readonly before?: Middleware
  /** Mounts the console behind the provider and the APIs. */
  readonly isConsoleLast?: boolean
}

/** An answer of the console's API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
  readonly text: string
}

/** Parts that are out of order now. */
export interface Faults {
  storage: boolean
  directory: boolean
  roles: boolean | 'hang'
}

export type Deployment = Awaited<ReturnType<typeof deploy>>

/** An impersonation that runs. */
export type Running = Awaited<ReturnType<Deployment['exchange']>>

export async function deploy(options: DeploymentOptions = {}) {
  const [server, shopServer] = [createServer(), createServer()]
  for (const each of [server, shopServer]) {
    // A process that is its own client, and stands still for five seconds on a busy machine, would close a
    // connection on which its request is under way.
    each.keepAliveTimeout = 0
    each.listen(each === server ? (options.port ?? 0) : 0, '127.0.0.1')
    await once(each, 'listening')
    // The run ends also when a test fails before it closes the server.
    each.unref()
  }
  const portOf = (of: typeof server) => (of.address() as AddressInfo).port
  // Two sites: cookies of the one are third-party cookies of the other.
  const url = `http://localhost:${portOf(server)}`
  const shopUrl = `http://127.0.0.1:${portOf(shopServer)}`
  const pagesUrl = options.elsewhere ? `http://127.0.0.1:${portOf(server)}` : url
  const issuer = `${url}/oidc`
  const api = `${url}/orders`
  const log: string[] = []
  const stopLog = collectLog(log)
  const audit = options.audit ?? memoryAudit()
  const faults: Faults = { storage: false, directory: false, roles: false }
  const protectedNow = new Map<string, string | undefined>()
  const roles = new Map(Object.entries(STAFF).map(([id, { role }]) => [id, role]))
  const consolePath = options.console?.path ?? '/console'
  const accountPath = options.console?.account?.path ?? '/account'
  const provider = new Provider(
    issuer,
    configuration({
      url,
      shopUrl,
      pagesUrl,
      consolePath,
      accountPath,
      adapter: options.adapter,
      authorize: options.authorize,
      checkStorage: () => failIf(faults.storage, 'the storage is out of order'),
      accessTokenTtl: options.accessTokenTtl,
    }),
  )
  const support = supportConsole(provider, {
    clientId: 'support-console',
    url: pagesUrl,
    issueAs: MACHINE.clientId,
    role({ accountId }) {
      if (faults.roles === 'hang') return new Promise(() => {})
      failIf(faults.roles, 'the roles are out of order')
      return roles.get(accountId)
    },
    customers: {
      search(...args) {
        failIf(faults.directory, 'the directory is out of order')
        return directory.search(...args)
      },
      get(id) {
        failIf(faults.directory, 'the directory is out of order')
        const found = directory.get(id)
        const why = protectedNow.get(id)
        return found && why !== undefined ? { ...found, protected: why } : found
      },
    },
    applications: [
      {
        name: 'Shop',
        url: `${shopUrl}/`,
        clientId: 'shop',
        resource: api,
        // A deployment may name the scope to look twice: it counts once.
        scopes: { read: 'orders:read', change: 'orders:read orders:write' },
      },
    ],
    audit,
    account: { clientId: 'customer-account' },
    durations: [120, 300, 600],
    ...options.console,
  })

  const app = new Koa()
  app.keys = ['test']
  if (options.before) app.use(options.before)
  if (!options.isConsoleLast) app.use(support)
  app.use(provider.impersonation.routes())
  app.use(signInPage(provider))
  app.use(mount('/oidc', provider))
  app.use(ordersApi({ issuer, api, shopUrl }, support))
  if (options.isConsoleLast) app.use(support)
  // A fault that a test makes on purpose need not be in its output.
  app.silent = true
  server.on('request', app.callback())
  const shopApp = new Koa()
  shopApp.use(shop(() => ({ issuer, api })))
  shopServer.on('request', shopApp.callback())

  const tokens = new Map<string, Promise<SignedIn>>()
  const signInOnce = (person: string, clientId: string) => {
    const key = JSON.stringify([person, clientId])
    const token = tokens.get(key) ?? signIn(provider, person, { clientId })
    tokens.set(key, token)
    return token
  }

  async function tokenOf(person: string) {
    return (await signInOnce(person, 'support-console')).accessToken
  }

  async function ask(
    who: string | { readonly token: string } | undefined,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const token = typeof who === 'string' ? await tokenOf(who) : who?.token
    const sent = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
    const init: RequestInit = { headers: sent }
    if (body !== undefined) {
      sent.set('content-type', 'application/json')
      init.method = 'POST'
      init.body = typeof body === 'string' ? body : JSON.stringify(body)
    }
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    return answerOf(await fetch(`${url}${consolePath}${path}`, init))
  }

  /** Reads the account page, or does what the path names: as a person, or with the headers. */
  async function account(
    who: string | Readonly<Record<string, string>>,
    path: string,
    body?: unknown,
  ) {
    if (typeof who !== 'string') return askAccount(url, who, path, body)
    const { accessToken } = await signInOnce(who, 'customer-account')
    return askAccount(url, { authorization: `Bearer ${accessToken}` }, path, body)
  }

  async function asBrowser(
    who: string,
    path: string,
    headers: Record<string, string>,
    init: RequestInit = {},
  ) {
    const cookie = `support-console=${await tokenOf(who)}`
    return answerOf(
      await fetch(`${url}${consolePath}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { accept: 'text/html', cookie, ...headers },
      }),
    )
  }

  async function settled() {
    // Events of the provider and of guards come in a later turn than the answer.
    for (let turns = 0; turns < 5; turns += 1) await nextTurn()
    await support.settled()
  }

  /** Exchanges what the console handed over. */
  async function exchange(operator: string, { subjectToken }: Pick<HandOver, 'subjectToken'>) {
    const actor = await signInOnce(operator, 'shop')
    const present = async () =>
      fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
          client_id: 'shop',
          subject_token: subjectToken,
          subject_token_type: ACCESS_TOKEN_TYPE,
          actor_token: actor.accessToken,
          actor_token_type: ACCESS_TOKEN_TYPE,
          resource: api,
          scope: 'orders:read orders:write',
        }),
      })
    const answer = await answerOf(await present())
    if (answer.status !== 200) throw new Error(`not exchanged: ${answer.text}`)
    const accessToken = String(answer.body.access_token)
    const headers = { authorization: `Bearer ${accessToken}` }
    const call = async (path: string, method: string) =>
      (await fetch(api + path, { method, headers })).status
    /** The same as below, without waiting for what is recorded of it. */
    const atOnce = {
      look: () => call('', 'GET'),
      change: () => call('/note', 'POST'),
      /** @param path `/email`, `/password` or `/phone` */
      refused: (path = '/email') => call(path, 'PUT'),
      replay: async () => (await present()).status,
    }
    const recorded = async (status: Promise<number>) => {
      await status
      await settled()
      return status
    }
    return {
      id: hash('sha256', subjectToken, 'base64url'),
      subjectToken,
      accessToken,
      atOnce,
      /** Calls the API as the customer: `look`, `change`, or what is denied to operators. */
      look: () => recorded(atOnce.look()),
      change: () => recorded(atOnce.change()),
      refused: (path?: string) => recorded(atOnce.refused(path)),
      /** Ends it by its own token, as the banner does. */
      async end() {
        await fetch(`${issuer}/impersonations/current/end`, { method: 'POST', headers })
      },
      /** Presents the subject token again. */
      replay: () => recorded(atOnce.replay()),
    }
  }

  return {
    /** The origin of the provider and the console. */
    url,
    /** The page of the customers' application. */
    shopUrl,
    consoleUrl: `${pagesUrl}${consolePath}`,
    issuer,
    provider,
    console: support,
    audit,
    faults,
    /** The lines of the console on stdout and stderr. */
    log,
    /** Each role, to be changed by tests. */
    roles,
    /** From now on, acting as this customer is forbidden. */
    protect: (customer: string, why: string | undefined) => protectedNow.set(customer, why),
    /** Signs a person in over HTTP. @defaultValue to the console */
    signIn: (person: string, how?: SignInOptions) => signIn(provider, person, how),
    /** The access token of a person at the console: the same one at each call. */
    tokenOf,
    /** Asks the API of the console: as a person, with a token, or with none. */
    ask,
    /** Asks for what the person may read, and answers the body. */
    read: async (...asked: Parameters<typeof ask>) => bodyOf(await ask(...asked)),
    /** Asks for a page of the console as the browser of a person. */
    browse: (who: string, path: string, headers: Record<string, string> = {}) =>
      asBrowser(who, path, headers),
    /** Sends a form of the console as the browser of a person. */
    send: (
      who: string,
      action: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ) =>
      asBrowser(
        who,
        action,
        { 'sec-fetch-site': 'same-origin', ...headers },
        { method: 'POST', body: new URLSearchParams({ from: '', reader: who, ...fields }) },
      ),
    account,
    /** The account page of a person, as its API answers it. */
    accountOf: async (who: string, query = '') => bodyOf(await account(who, query)),
    /** The state of an impersonation at the provider. */
    stateOf: async (id: string) => (await provider.impersonation.get(id))?.state,
    /** Issues at the console, exchanges as the shop. */
    async impersonate({
      operator = 'olivia',
      customer = 'alice',
      ticket = 'SUP-123',
      reason = 'An order did not arrive',
      access = 'change',
      duration = 600,
    } = {}) {
      const { status, body } = await ask(operator, '/impersonations', {
        userId: customer,
        ticketId: ticket,
        reason,
        application: 'shop',
        access,
        duration,
      })
      if (status !== 201) throw new Error(`not handed over: ${status} ${JSON.stringify(body)}`)
      return exchange(operator, body)
    },
    exchange,
    /** Resolves when all entries so far are stored. */
    settled,
    async [Symbol.asyncDispose]() {
      await Promise.all([closed(server), closed(shopServer)])
      await support.close()
      stopLog()
    },
  }
}

/** The orders of a customer: to look at, to change, and an address that only the customer changes. */
function ordersApi(
  { issuer, api, shopUrl }: { issuer: string; api: string; shopUrl: string },
  { onImpersonatedRequest }: SupportConsole,
): Middleware {
  const guard = resourceServer({ issuer, audience: api, onImpersonatedRequest })
  const routes: Readonly<Record<string, Middleware>> = {
    'GET /orders': guard.koa(requireScope('orders:read')) as Middleware,
    'POST /orders/note': guard.koa(requireScope('orders:write')) as Middleware,
    'PUT /orders/email': guard.koa(denyImpersonation()) as Middleware,
    'PUT /orders/password': guard.koa(denyImpersonation()) as Middleware,
    'PUT /orders/phone': guard.koa(denyImpersonation()) as Middleware,
  }
  return async (ctx, next) => {
    if (!ctx.path.startsWith('/orders')) return next()
    ctx.set('Access-Control-Allow-Origin', shopUrl)
    ctx.set('Access-Control-Allow-Headers', 'Authorization, Content-Type')
    ctx.set('Access-Control-Allow-Methods', 'GET, POST, PUT')
    ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate')
    if (ctx.method === 'OPTIONS') {
      ctx.status = 204
      return
    }
    const check = routes[`${ctx.method} ${ctx.path}`]
    if (!check) return
    await check(ctx, async () => {
      ctx.body = { of: ctx.state.caller.userId }
    })
  }
}

async function answerOf(response: Response) {
  const text = await response.text()
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : undefined,
    text,
  }
}

function bodyOf({ status, text, body }: Answer) {
  if (status !== 200) throw new Error(`not read: ${status} ${text}`)
  return body
}

function failIf(isFailing: boolean, why: string) {
  if (isFailing) throw new Error(why)
}
