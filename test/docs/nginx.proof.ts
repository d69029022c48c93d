import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort, reachable, until } from '../adapters/servers.ts'
import { newFolder } from '../support/folder.ts'
import { listening } from '../support/token-issuer.ts'
import { blocksOf } from './documents.ts'

describe('docs/production.md: nginx', function () {
  this.timeout(30_000)

  it('passes on the whole path with its own word for the origin, and limits the token endpoint', async () => {
    const [shown = ''] = await blocksOf('production.md', 'nginx')
    const seen: IncomingMessage[] = []
    const copy = createServer((request, response) => response.end(String(seen.push(request))))
    const [folder, port, copyAt] = [newFolder(), await freePort(), await listening(copy)]
    const here = shown
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replaceAll(/127\.0\.0\.1:300\d/g, new URL(copyAt).host)
    const file = join(folder, 'nginx.conf')
    const own = `pid ${folder}/pid; events {} http { access_log off; ${here} }`
    await writeFile(file, own)
    const args = ['-c', file, '-e', 'stderr', '-g', 'daemon off;']
    const nginx = spawn('nginx', args, { stdio: 'ignore' })
    try {
      const at = `http://127.0.0.1:${port}`
      await until(() => reachable(at, port))
      const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.1' }
      await fetch(`${at}/id/api/subject-tokens`, { headers })
      expect(seen[0]?.url).to.equal('/id/api/subject-tokens')
      expect(seen[0]?.headers).to.include({
        'x-forwarded-proto': 'https',
        'x-forwarded-host': '127.0.0.1',
        'x-forwarded-for': '127.0.0.1',
      })
      const flood = Array.from({ length: 40 }, () => fetch(`${at}/id/oidc/token`))
      const statuses = (await Promise.all(flood)).map(({ status }) => status)
      expect(new Set(statuses)).to.deep.equal(new Set([200, 429]))
    } finally {
      nginx.kill()
      await once(nginx, 'exit')
      copy.close()
    }
  })
})
