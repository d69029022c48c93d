import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../adapters/servers.ts'
import { launch, type Program } from '../support/program.ts'
import { closed, listening } from '../support/token-issuer.ts'
import type { Keys } from './jwks.ts'

/** A module of Apache that knows access tokens. */
export interface ApacheModule {
  readonly name: string
  /** The prefix of the headers that it sets for the backend. */
  readonly claims: string
  /** The status that refuses an operator. */
  readonly denial: number
}

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http']

/** An Apache with the module, in front of an API that knows the caller by its headers. */
export async function runApache(
  folder: string,
  { name, claims }: ApacheModule,
  issuer: string,
  audience: string,
  keys: Keys | undefined,
  included: string,
): Promise<Program> {
  const backend = createServer(({ method, headers }, response) => {
    if (method === 'PUT') return response.writeHead(204).end()
    const { sub: seenBy } = JSON.parse(String(headers[`${claims}_act`] ?? '{}'))
    response.end(JSON.stringify({ ordersOf: headers[`${claims}_sub`], seenBy }))
  })
  const port = await freePort()
  // Apache drops the rights of root, and still has to get at the folder.
  await chmod(folder, 0o755)
  const file = join(folder, `${port}.conf`)
  // mod_oauth2 has no option for a certificate that is made for a test.
  const secure = name === 'auth_openidc' ? keys : undefined
  const configuration = [
    'ServerName localhost',
    `ServerRoot ${folder}`,
    `PidFile ${file}.pid`,
    `Mutex file:${folder} default`,
    `ErrorLog ${file}.log`,
    `Listen ${port}`,
    'User www-data',
    'Group www-data',
    ...[...MODULES, name].map(
      (module) => `LoadModule ${module}_module /usr/lib/apache2/modules/mod_${module}.so`,
    ),
    `Define ISSUER ${issuer}`,
    `Define AUDIENCE ${audience}`,
    `Define JWKS_URI ${secure?.uri ?? `${issuer}/jwks`}`,
    `ProxyPass / ${await listening(backend)}/`,
    ...(secure ? [`OIDCCABundlePath ${secure.certificate}`] : []),
    `Include ${included}`,
  ]
  await writeFile(file, `${configuration.join('\n')}\n`)
  const PORT = String(port)
  const running = await launch(['/usr/sbin/apache2', '-f', file, '-DFOREGROUND'], { PORT })
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await closed(backend)
    },
  }
}
