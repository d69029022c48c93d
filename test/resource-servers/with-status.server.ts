import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { freePort } from '../adapters/servers.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { skip } from '../support/skipping.ts'
import { isInstalled, LANGUAGES } from './languages.ts'
import { type Running, run } from './process.ts'
import { keepsItsPromises } from './promises.ts'
import { copyServer } from './servers.ts'
import { exchanged, type Tokens, tokensOf } from './tokens.ts'

/** What the page promises. */
const NOTICED_WITHIN_MS = 8000

for (const language of LANGUAGES) {
  const { file, needs, command } = language
  describe(`examples/resource-servers, ${file}`, () => {
    let folder: string
    let deployment: Deployment
    let tokens: Tokens
    let started: [string, ...string[]]
    let server: Running
    let isClosed = false

    const start = async () =>
      run(started, await freePort(), { ISSUER: deployment.issuer, AUDIENCE: deployment.orders })

    before(async function () {
      if (!(await isInstalled(language))) skip(this, `no ${needs}`)
      folder = await mkdtemp(join(tmpdir(), 'impersonation-status-'))
      await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
      started = await command(await copyServer(file, folder))
      deployment = await deploy()
      tokens = await tokensOf(deployment)
      server = await start()
    })
    after(async () => {
      await server?.[Symbol.asyncDispose]()
      if (!isClosed) await deployment?.close()
      if (folder) await rm(folder, { recursive: true })
    })

    keepsItsPromises(
      () => server,
      () => tokens,
    )

    it(`refuses an operator within ${NOTICED_WITHIN_MS / 1000} seconds of an end, and no other`, async () => {
      const token = await exchanged(deployment)
      const status = async (which: string) => (await server.ask('GET', '/orders', which)).status
      expect(await status(token)).to.equal(200)
      const id = String(decodeJwt(token).jti).replace('impersonation:', '')
      await deployment.provider.impersonation.end(id)
      const endedAt = performance.now()
      while ((await status(token)) === 200 && performance.now() - endedAt < NOTICED_WITHIN_MS) {
        await wait(100)
      }
      expect(await status(token)).to.equal(401)
      expect(await status(tokens.nameless)).to.equal(200)
    })

    it('answers 503 to an operator where it has no list, and believes for a while the one it has', async () => {
      await using another = await start()
      // It has the keys now, and no list.
      expect((await another.ask('GET', '/orders', tokens.own)).status).to.equal(200)
      expect((await server.ask('GET', '/orders', tokens.named)).status).to.equal(200)
      await deployment.close()
      isClosed = true
      const refused = await another.ask('GET', '/orders', tokens.named)
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1'])
      expect((await another.ask('GET', '/orders', tokens.own)).status).to.equal(200)
      expect((await server.ask('GET', '/orders', tokens.named)).status).to.equal(200)
    })
  })
}
