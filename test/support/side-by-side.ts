import OidcProvider, { type Configuration } from 'oidc-provider'
import { withoutImpersonation } from '../../src/configuration.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { type DeploymentOptions, deploy } from './deployment.ts'
import { type Answer, answerOf, type Form, urlencoded } from './http.ts'

/** A provider of one kind, for requests that are sent to the other kind as well. */
export type Side = Awaited<ReturnType<typeof start>>

/**
 * Plain oidc-provider and this package's provider with impersonation, with the same configuration.
 */
export async function sideBySide(options: () => DeploymentOptions = () => ({})) {
  const make: DeploymentOptions['make'] = (issuer, configuration) =>
    new OidcProvider(issuer, withoutTheGrant(withoutImpersonation(configuration)))
  const [plain, ours] = [await start({ ...options(), make }), await start(options())]
  return {
    plain,
    ours,
    async [Symbol.asyncDispose]() {
      await plain.close()
      await ours.close()
    },
  }
}

async function start(options: DeploymentOptions) {
  const deployment = await deploy({ ...options, accounts: new Set(['alice', 'olivia']) })
  const ask = async (path: string, init: RequestInit) =>
    answerOf(await fetch(deployment.base + path, init))
  return {
    ...deployment,
    post: (path: string, form: Form, headers: Record<string, string> = {}) =>
      ask(path, { method: 'POST', body: urlencoded(form), headers }),
    json: (method: string, path: string, body?: unknown, token?: string) =>
      ask(path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
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

/** Returns the lines that the console of the process shows while this runs. */
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
