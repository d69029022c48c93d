import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { type Deployment, deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { expectAnswer } from '../support/http.ts'
import type { Program } from '../support/program.ts'
import { skip } from '../support/skipping.ts'
import { type Keys, keysOverHttps } from './jwks.ts'
import { EXAMPLES, isInstalled, prepare, SERVERS } from './servers.ts'
import { type Tokens, tokensOf } from './tokens.ts'
import { trouble } from './trouble.ts'

/** The page's promise. */
const NOTICED_WITHIN_MS = 8000

describe('examples/resource-servers', () => {
  it('are all run below, and linked from docs/other-languages.md', async () => {
    const files = await readdir(EXAMPLES)
    expect(files).to.have.members(SERVERS.map(({ file }) => file))
    const page = await readFile(join(EXAMPLES, '../../docs/other-languages.md'), 'utf8')
    for (const file of files) expect(page).to.include(`(../examples/resource-servers/${file})`)
  })

  for (const each of SERVERS) {
    const { file, needs, ages, apache } = each
    const denial = apache?.denial ?? 403

    describe(file, () => {
      const provider = trouble()
      let deployment: Deployment
      let keys: Keys
      let tokens: Tokens
      let server: Program
      const status = async (method: string, path: string, token?: string) =>
        (await server.ask(method, path, token)).status

      before(async function () {
        if (!(await isInstalled(each))) skip(this, `no ${needs}`)
        const folder = newFolder()
        const start = await prepare(each, folder)
        deployment = await deploy({ middleware: provider.middleware })
        tokens = await tokensOf(deployment)
        keys = await keysOverHttps(deployment.issuer, folder)
        server = await start(deployment.issuer, deployment.orders, keys)
      })
      after(async () => {
        await server?.[Symbol.asyncDispose]()
        await keys?.[Symbol.asyncDispose]()
        await deployment?.close()
      })

      it('answers the user, who may change the email', async () => {
        const orders = server.ask('GET', '/orders', tokens.own)
        await expectAnswer(orders, 200, { ordersOf: 'alice' })
        expect(await status('PUT', '/email', tokens.own)).to.equal(204)
      })

      it('answers an operator, with a name and without, who may not change the email', async () => {
        const orders = server.ask('GET', '/orders', tokens.named)
        await expectAnswer(orders, 200, { ordersOf: 'alice', seenBy: 'olivia' })
        expect(decodeJwt(tokens.nameless)).not.to.have.property('act')
        expect(await status('GET', '/orders', tokens.nameless)).to.equal(200)
        for (const token of [tokens.named, tokens.nameless]) {
          expect(await status('PUT', '/email', token)).to.equal(denial)
          // By the token, and not by a header that the client sends to the backend of Apache.
          const name = apache ? `${apache.claims}_jti` : 'jti'
          const spoofed = { [name]: 'own', [name.toUpperCase()]: 'own' }
          await expectAnswer(server.ask('PUT', '/email', token, spoofed), denial)
        }
      })

      it('refuses any other token, and none', async () => {
        const passed: string[] = []
        // Apache refuses by its requirements, and cannot ask for the type of a token.
        const refusals = apache ? [401, 403] : [401]
        for (const [which, token] of Object.entries({ none: '', ...tokens.refused })) {
          if (apache && which === 'of another type') continue
          for (const [method, path] of [
            ['GET', '/orders'],
            ['PUT', '/email'],
          ] as const) {
            const answer = await server.ask(method, path, token || undefined)
            const challenge = answer.headers.get('www-authenticate') ?? ''
            if (!refusals.includes(answer.status)) passed.push(`${path} ${which}: ${answer.status}`)
            else if (answer.status === 401 && token && !challenge.startsWith('Bearer')) {
              passed.push(`${path} ${which}: no challenge`)
            }
          }
        }
        expect(passed).to.deep.equal([])
      })

      if (ages) {
        it(`refuses an operator within ${NOTICED_WITHIN_MS / 1000} seconds of an end, and no other`, async () => {
          const { id, token } = await deployment.impersonate()
          expect(await status('GET', '/orders', token)).to.equal(200)
          await deployment.provider.impersonation.end(id)
          const until = performance.now() + NOTICED_WITHIN_MS
          while ((await status('GET', '/orders', token)) === 200 && performance.now() < until) {
            await wait(100)
          }
          expect(await status('GET', '/orders', token)).to.equal(401)
          expect(await status('GET', '/orders', tokens.nameless)).to.equal(200)
        })
      }

      it('serves the user while the keys hang', async () => {
        provider.behaves('keys', 'hangs')
        const asked = Array.from({ length: 20 }, () => status('GET', '/orders', tokens.own))
        expect(await Promise.all(asked)).to.deep.equal(asked.map(() => 200))
        provider.behaves('keys', 'answers')
      })
    })
  }
})
