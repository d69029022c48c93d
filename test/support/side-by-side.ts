import { once } from 'node:events'
import { createServer } from 'node:http'
import Koa from 'koa'
import mount from 'koa-mount'
import OidcProvider, { type Configuration } from 'oidc-provider'
import { withoutImpersonation } from '../../src/configuration.ts'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { type DeploymentOptions, deploymentConfiguration } from './deployment-configuration.ts'
import { type Answer, answerOf, type Form, urlencoded } from './http.ts'
import { signInRoutes } from './sign-in.ts'
import { listening } from './token-issuer.ts'

/** A provider of one kind, for requests that are sent to the other kind as well. */
export interface Side {
  readonly base: string
  readonly issuer: string
  readonly provider: OidcProvider
  post(path: string, form: Form, headers?: Record<string, string>): Promise<Answer>
  json(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
}

/**
 * Plain oidc-provider and this package's provider with impersonation, with the same configuration.
 */
export interface Sides extends AsyncDisposable {
  readonly plain: Side
  readonly ours: Side
}

export async function sideBySide(options: () => DeploymentOptions = () => ({})): Promise<Sides> {
  const [plain, ours] = [await start(options(), false), await start(options(), true)]
  return {
    plain: plain.side,
    ours: ours.side,
    [Symbol.asyncDispose]: async () => {
      await plain.close()
      await ours.close()
    },
  }
}

async function start(options: DeploymentOptions, impersonating: boolean) {
  const server = createServer()
  const base = await listening(server)
  const issuer = `${base}/oidc`
  const accounts = new Set(['alice', 'olivia'])
  const configuration = deploymentConfiguration(base, accounts, options)
  const app = new Koa()
  app.keys = ['test']
  let provider: OidcProvider
  if (impersonating) {
    const drop = new Provider(issuer, configuration)
    app.use(drop.impersonation.routes())
    provider = drop
  } else {
    provider = new OidcProvider(issuer, withoutTheGrant(withoutImpersonation(configuration)))
  }
  app.use(signInRoutes(provider))
  app.use(mount('/oidc', provider))
  server.on('request', app.callback())
  const side: Side = {
    base,
    issuer,
    provider,
    post: async (path, form, headers = {}) =>
      answerOf(await fetch(`${base}${path}`, { method: 'POST', body: urlencoded(form), headers })),
    json: async (method, path, body, token) =>
      answerOf(
        await fetch(`${base}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
  }
  return {
    side,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The clients before impersonation: a client cannot list a grant that does not exist. */
function withoutTheGrant({ clients = [], ...configuration }: Configuration): Configuration {
  return {
    ...configuration,
    clients: clients.map(({ grant_types = [], ...client }) => ({
      ...client,
      grant_types: grant_types.filter((name) => name !== TOKEN_EXCHANGE_GRANT_TYPE),
    })),
  }
}

/** What the console of the process shows while this runs. */
export async function printedBy(run: () => unknown): Promise<string[]> {
  const printed: string[] = []
  const { info, warn } = console
  console.info = console.warn = (line: string) => printed.push(line)
  try {
    await run()
  } finally {
    Object.assign(console, { info, warn })
  }
  return printed
}

/** The comparable part of an answer: everything except random values, times and addresses. */
export function comparable(side: Pick<Side, 'base'>, { status, body }: Answer): unknown {
  const text = JSON.stringify(body).replaceAll(side.base, 'https://base')
  const plain = JSON.parse(text, (key, value) => (DRAWN.has(key) ? '(drawn)' : value))
  return { status, body: plain }
}

const DRAWN = new Set([
  'access_token',
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'exp',
  'iat',
  'id_token',
  'jti',
  'op_grant_id',
  'refresh_token',
  'registration_access_token',
  'registration_client_uri',
])
