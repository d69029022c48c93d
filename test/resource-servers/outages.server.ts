import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { type Deployment, deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { apiToken } from '../support/jwts.ts'
import type { Program } from '../support/program.ts'
import { skip } from '../support/skipping.ts'
import { isInstalled, prepare, SERVERS, type Start } from './servers.ts'
import { signed } from './tokens.ts'
import { type Trouble, trouble } from './trouble.ts'

/** The longest wait for a server with a limit of 2 seconds, on a busy machine. */
const SOON_MS = 20_000

for (const each of SERVERS.filter(({ ages }) => ages)) {
  describe(`examples/resource-servers, ${each.file}, at a provider in trouble`, () => {
    let start: Start
    let provider: Trouble
    let deployment: Deployment
    let server: Program
    let own: string
    let operator: string

    const status = async (token: string, at = server) =>
      (await at.ask('GET', '/orders', token)).status
    const statuses = (count: number, token: string, at = server) =>
      Promise.all(Array.from({ length: count }, () => status(token, at)))
    const times = (count: number, value: number) => Array.from({ length: count }, () => value)
    const soon = async (isSo: () => Promise<boolean> | boolean) => {
      const until = performance.now() + SOON_MS
      while (!(await isSo()) && performance.now() < until) await wait(20)
    }

    before(async function () {
      if (!(await isInstalled(each))) skip(this, `no ${each.needs}`)
      start = await prepare(each, newFolder(), true)
    })
    beforeEach(async () => {
      provider = trouble()
      deployment = await deploy({ middleware: provider.middleware })
      own = await apiToken(deployment)
      operator = (await deployment.impersonate()).token
      server = await start(deployment.issuer, deployment.orders)
      expect(await status(own)).to.equal(200)
    })
    afterEach(async () => {
      await server?.[Symbol.asyncDispose]()
      await deployment?.close()
    })

    it('takes tokens and lists by RS256 and by ES256, of keys that name no algorithm', async () => {
      const keys = await Promise.all([keyOf('RS256'), keyOf('ES256')])
      for (const [alg, lists] of [
        ['RS256', 'ES256'],
        ['ES256', 'RS256'],
      ] as const) {
        const resource = 'https://api.example.com'
        await using other = await deploy({
          resources: {
            [resource]: { scope: 'orders:read', accessTokenFormat: 'jwt', jwt: { sign: { alg } } },
          },
          configuration: {
            jwks: { keys },
            clientDefaults: { id_token_signed_response_alg: lists },
          },
        })
        await using at = await start(other.issuer, resource)
        const impersonated = await other.impersonate({ resource })
        for (const token of [await apiToken(other, 'alice', { resource }), impersonated.token]) {
          await soon(async () => (await status(token, at)) === 200)
          expect(await status(token, at)).to.equal(200)
        }
      }
    })

    it('serves ordinary users while the keys hang or cannot be had, and asks for them once a second', async () => {
      for (const behaviour of ['hangs', 'fails'] as const) {
        provider.behaves('keys', behaviour)
        const before = provider.asked('keys')
        const startedAt = performance.now()
        for (let round = 0; round < 25; round += 1) {
          expect(await statuses(2, own)).to.deep.equal([200, 200])
        }
        const seconds = (performance.now() - startedAt) / 1000
        // One that was under way, then one a second.
        expect(provider.asked('keys') - before).to.be.at.most(2 + seconds)
      }
    })

    it('learns a new key in the background', async () => {
      const key = await keyOf('ES256')
      const signedByNext = await signed(decodeJwt(own), { kid: key.kid }, key)
      const { d: _, ...published } = key
      provider.publish(published)
      await soon(async () => {
        expect(await status(own)).to.equal(200)
        return (await status(signedByNext)) === 200
      })
      expect(await status(signedByNext)).to.equal(200)
    })

    it('says 503 to all, and asks once for the keys, if it starts while they hang', async () => {
      provider.behaves('keys', 'hangs')
      const before = provider.asked('keys')
      await using another = await start(deployment.issuer, deployment.orders)
      expect(await statuses(8, own, another)).to.deep.equal(times(8, 503))
      expect(provider.asked('keys') - before).to.equal(1)
      provider.behaves('keys', 'answers')
      await soon(async () => (await status(own, another)) === 200)
      expect(await status(own, another)).to.equal(200)
    })

    it('asks once for a list that hangs, and then lets operators wait no more for a second', async () => {
      provider.behaves('list', 'hangs')
      const waiting = statuses(8, operator)
      await soon(() => provider.asked('list') > 0)
      // Operators wait, and take nothing away from anybody else.
      expect(await statuses(20, own)).to.deep.equal(times(20, 200))
      expect(provider.givenUp()).to.equal(0)
      expect(await waiting).to.deep.equal(times(8, 503))
      const answer = await server.ask('GET', '/orders', operator)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1'])
      expect(provider.asked('list')).to.equal(1)
      provider.behaves('list', 'answers')
      await soon(async () => (await status(operator)) === 200)
      expect(await status(operator)).to.equal(200)
    })

    it('believes the list that it has while the next one hangs', async () => {
      const { id, token: ended } = await deployment.impersonate()
      await deployment.provider.impersonation.end(id)
      expect(await status(operator)).to.equal(200)
      provider.behaves('list', 'hangs')
      expect(await statuses(4, operator)).to.deep.equal(times(4, 200))
      expect(await status(ended)).to.equal(401)
    })

    for (const [behaviour, what] of [
      ['drips', 'comes byte by byte'],
      ['floods', 'does not end'],
    ] as const) {
      it(`gives up a list that ${what}, and serves the others meanwhile`, async () => {
        provider.behaves('list', behaviour)
        const answer = status(operator)
        await soon(() => provider.asked('list') > 0)
        expect(await status(own)).to.equal(200)
        expect(await answer).to.equal(503)
        await soon(() => provider.givenUp() > 0)
        expect(provider.givenUp()).to.equal(1)
      })
    }

    it('refuses a header that is 20,000 levels deep, and answers the next', async () => {
      const header = `{"typ":"at+jwt","kid":"test","alg":${'['.repeat(20_000)}`
      const token = `${Buffer.from(header).toString('base64url')}.e30.AA`
      // Node itself refuses a header that is as long.
      expect(await status(token)).to.be.oneOf([401, 431])
      expect(await status(own)).to.equal(200)
    })

    it('refuses a status that names no place of a list', async () => {
      const claims = decodeJwt<{ status: { status_list: { uri: string } } }>(operator)
      const { uri } = claims.status.status_list
      const passed: unknown[] = []
      for (const claim of [
        ...[null, -1, 1.5, '1', true, [], 2 ** 32, 2 ** 60].map((idx) => ({ idx, uri })),
        { uri },
        null,
      ].map((list) => ({ status_list: list }))) {
        const answer = await status(await signed({ ...claims, status: claim }))
        if (answer !== 401) passed.push([claim, answer])
      }
      for (const claim of [null, {}, 1, 'valid', []]) {
        const answer = await status(await signed({ ...claims, status: claim }))
        if (answer !== 401) passed.push([claim, answer])
      }
      expect(passed).to.deep.equal([])
    })
  })
}

/** As oidc-provider publishes a key that is configured without `alg`. */
async function keyOf(alg: string) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: alg, use: 'sig' as const }
}
