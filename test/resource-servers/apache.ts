import { chmod, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../adapters/servers.ts'
import { type Running, run } from './process.ts'

export const APACHE = '/usr/sbin/apache2'

/** Where Debian installs a module of Apache. */
export const moduleFile = (name: string) => `/usr/lib/apache2/modules/mod_${name}.so`

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'proxy', 'proxy_http']

/** An Apache with one more module, in front of a backend, with the defines and files given. */
export async function runApache(
  folder: string,
  module: string,
  backend: string,
  defines: Record<string, string>,
  lines: readonly string[],
): Promise<Running> {
  const port = await freePort()
  // Apache drops the rights of root, and still has to get at the folder.
  await chmod(folder, 0o755)
  const file = join(folder, `${port}.conf`)
  const configuration = [
    'ServerName localhost',
    `ServerRoot ${folder}`,
    `PidFile ${file}.pid`,
    `Mutex file:${folder} default`,
    `ErrorLog ${file}.log`,
    `Listen ${port}`,
    'User www-data',
    'Group www-data',
    ...[...MODULES, module].map((name) => `LoadModule ${name}_module ${moduleFile(name)}`),
    ...Object.entries(defines).map(([name, value]) => `Define ${name} ${value}`),
    `ProxyPass / ${backend}/`,
    ...lines,
  ]
  await writeFile(file, `${configuration.join('\n')}\n`)
  return await run([APACHE, '-f', file, '-DFOREGROUND'], port, {})
}

/** The API behind Apache: it knows the caller by the headers that a module sets. */
export function backendFor(prefix: string): Server {
  return createServer(({ method, headers }, response) => {
    if (method === 'PUT') return response.writeHead(204).end()
    const { sub: seenBy } = JSON.parse(String(headers[`${prefix}_act`] ?? '{}'))
    response.end(JSON.stringify({ ordersOf: headers[`${prefix}_sub`], seenBy }))
  })
}
