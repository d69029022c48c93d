import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { freePort } from '../adapters/servers.ts'
import { skip } from '../support/skipping.ts'
import { isInstalled, LANGUAGES } from './languages.ts'
import { type Running, run } from './process.ts'
import { copyHastyServer } from './servers.ts'
import { AUDIENCE, ENDED, type StandIn, standIn } from './stand-in.ts'

/** What a server with a limit of 2 seconds answers after, on a machine that is busy. */
const SOON_MS = 20_000

for (const language of LANGUAGES) {
  const { file, needs, ages, command } = language

  describe(`examples/resource-servers, ${file}, at a provider in trouble`, () => {
    let folder: string
    let started: [string, ...string[]]
    let provider: StandIn
    let server: Running

    const start = async (issuer: string) =>
      run(started, await freePort(), { ISSUER: issuer, AUDIENCE })
    const status = async (token: string, at = server) =>
      (await at.ask('GET', '/orders', token)).status
    const statuses = (tokens: readonly string[], at = server) =>
      Promise.all(tokens.map((token) => status(token, at)))
    const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)

    before(async function () {
      if (!(await isInstalled(language))) skip(this, `no ${needs}`)
      folder = await mkdtemp(join(tmpdir(), 'impersonation-outages-'))
      await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
      // Keys and lists are old at once: no request is served by one that happens to be fresh.
      started = await command(await copyHastyServer(file, folder, ages))
    })
    beforeEach(async () => {
      provider = await standIn()
      server = await start(provider.issuer)
      expect(await status(await provider.token())).to.equal(200)
    })
    afterEach(async () => {
      await server?.[Symbol.asyncDispose]()
      await provider?.[Symbol.asyncDispose]()
    })
    after(async () => {
      if (folder) await rm(folder, { recursive: true })
    })

    it('takes what is signed by RS256 and by ES256, by keys that name no algorithm', async () => {
      const tokens = [await provider.token(), await provider.token({}, 'ES256')]
      expect(await statuses(tokens)).to.deep.equal([200, 200])
      expect(await status(await provider.impersonated('one'))).to.equal(200)
      // The list is signed by the other key.
      expect(await status(await provider.impersonated('one', 0, 'ES256'))).to.equal(200)
    })

    it('serves ordinary users while the keys hang', async () => {
      const token = await provider.token()
      const before = provider.asked('keys')
      provider.behaves('keys', 'hangs')
      expect(await statuses(times(6, token))).to.deep.equal(times(6, 200))
      expect(await statuses(times(6, token))).to.deep.equal(times(6, 200))
      expect(provider.asked('keys') - before).to.be.at.most(1 + provider.givenUp())
      expect(provider.givenUp()).to.equal(0)
    })

    it('serves ordinary users while the keys cannot be had, and asks for them once a second', async () => {
      const token = await provider.token()
      provider.behaves('keys', 'fails')
      const before = provider.asked('keys')
      const startedAt = performance.now()
      for (let round = 0; round < 50; round += 1) expect(await status(token)).to.equal(200)
      const seconds = (performance.now() - startedAt) / 1000
      // One that was under way, then one a second.
      expect(provider.asked('keys') - before).to.be.at.most(2 + seconds)
    })

    it('learns a new key in the background', async () => {
      await provider.rotate()
      const old = await provider.token({}, 'ES256')
      const signedByNew = await provider.token()
      const until = performance.now() + SOON_MS
      while ((await status(signedByNew)) !== 200 && performance.now() < until) {
        expect(await status(old)).to.equal(200)
        await wait(50)
      }
      expect(await status(signedByNew)).to.equal(200)
    })

    it('says 503 to all, and asks once for them, where it starts while the keys hang', async () => {
      await using other = await standIn()
      other.behaves('keys', 'hangs')
      await using another = await start(other.issuer)
      const token = await other.token()
      expect(await statuses(times(8, token), another)).to.deep.equal(times(8, 503))
      expect(other.asked('keys')).to.equal(1)
      other.behaves('keys', 'answers')
      const until = performance.now() + SOON_MS
      while ((await status(token, another)) !== 200 && performance.now() < until) await wait(50)
      expect(await status(token, another)).to.equal(200)
    })

    it('asks once for a list that hangs, and then lets operators wait no more for a second', async () => {
      const [token, own] = [await provider.impersonated('hanging'), await provider.token()]
      provider.behaves('list', 'hangs')
      const waiting = statuses(times(8, token))
      while (provider.asked('list') === 0) await wait(5)
      // Operators wait, and take nothing away from anybody else.
      expect(await statuses(times(20, own))).to.deep.equal(times(20, 200))
      expect(provider.givenUp()).to.equal(0)
      expect(await waiting).to.deep.equal(times(8, 503))
      expect(provider.asked('list')).to.equal(1)
      const answer = await server.ask('GET', '/orders', token)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1'])
      expect(provider.asked('list')).to.equal(1)

      provider.behaves('list', 'answers')
      const until = performance.now() + SOON_MS
      while ((await status(token)) !== 200 && performance.now() < until) await wait(50)
      expect(await status(token)).to.equal(200)
    })

    it('believes the list that it has while the next one hangs', async () => {
      const token = await provider.impersonated('held')
      expect(await status(token)).to.equal(200)
      provider.behaves('list', 'hangs')
      expect(await statuses(times(4, token))).to.deep.equal(times(4, 200))
      expect(await status(await provider.impersonated('held', ENDED))).to.equal(401)
    })

    for (const [behaviour, what] of [
      ['drips', 'comes byte by byte'],
      ['floods', 'does not end'],
    ] as const) {
      it(`gives up a list that ${what}, and serves the others meanwhile`, async () => {
        provider.behaves('list', behaviour)
        const givenUp = provider.nextGivenUp()
        const answer = status(await provider.impersonated(behaviour))
        while (provider.asked('list') === 0) await wait(5)
        expect(await status(await provider.token())).to.equal(200)
        await givenUp
        expect(await answer).to.equal(503)
      })
    }

    it('refuses a header that is 20,000 levels deep, and answers the next', async () => {
      const header = `{"typ":"at+jwt","kid":"rsa","alg":${'['.repeat(20_000)}`
      const token = `${Buffer.from(header).toString('base64url')}.e30.AA`
      // Node itself refuses a header that is as long.
      expect(await status(token)).to.be.oneOf([401, 431])
      expect(await status(await provider.token())).to.equal(200)
    })

    it('refuses a status that names no place of a list', async () => {
      const passed: unknown[] = []
      for (const idx of [null, -1, 1.5, '1', true, [], 2 ** 32, 2 ** 60]) {
        const answer = await status(await provider.impersonated('places', idx))
        if (answer !== 401) passed.push([idx, answer])
      }
      const uri = `${provider.issuer}/status-lists/places`
      for (const claim of [
        null,
        {},
        { status_list: { uri } },
        { status_list: null },
        { status_list: {} },
        1,
        'valid',
        [],
      ]) {
        const jti = 'impersonation:1'
        const answer = await status(await provider.token({ jti, status: claim }))
        if (answer !== 401) passed.push([claim, answer])
      }
      expect(passed).to.deep.equal([])
      expect(await status(await provider.impersonated('places', ENDED))).to.equal(401)
      expect(await status(await provider.impersonated('places', ENDED - 1))).to.equal(200)
    })
  })
}
