import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { renewed } from '../../../../test/support/shared.ts'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import { send } from '../send.ts'
import { BASE, type BoundClient, boundClient } from '../sender/bound-client.ts'
import { startStatusProvider } from '../status/status-provider.ts'
import { type DescribedUses, leave, toldUses, without } from '../uses/told-uses.ts'
import { APIS, type Api, socketApi } from './apis.ts'

const id = 'A'.repeat(43)
const act = { sub: 'olivia' }
const DPOP = 'algs="ES256 Ed25519 EdDSA"'

/** A connection to an API that has sent its first words. */
interface Open {
  isOpen: boolean
  /** The client goes away. */
  leave(): void
}

async function openStream(origin: string, headers: { authorization: string }): Promise<Open> {
  const request = get(`${origin}/v1/stream`, { headers, agent: false })
  const [response] = await once(request, 'response')
  const open: Open = { isOpen: true, leave: () => request.destroy() }
  response.on('error', () => {})
  response.on('close', () => {
    open.isOpen = false
  })
  await once(response, 'data')
  return open
}

async function openSocket(origin: string, headers: { authorization: string }): Promise<Open> {
  const socket = new WebSocket(origin.replace('http', 'ws'), { headers })
  const open: Open = { isOpen: true, leave: () => socket.terminate() }
  socket.on('close', () => {
    open.isOpen = false
  })
  await once(socket, 'message')
  return open
}

for (const [name, start] of Object.entries({ ...APIS, ws: socketApi })) {
  describe(`the guard in ${name}`, () => {
    let client: BoundClient
    let told: DescribedUses
    let api: Api
    let impersonated: { authorization: string }

    const provider = renewed(startStatusProvider)
    beforeEach(async () => {
      client = await boundClient(provider.tokens)
      told = toldUses()
      const { onImpersonatedRequest } = told
      api = await start(provider.guard({ onImpersonatedRequest, dPoP: { baseUrl: BASE } }))
      impersonated = await bearer({ act })
    })
    afterEach(async () => {
      await api.close()
    })

    const bearer = async (claims: object) => {
      const jti = `impersonation:${id}`
      return { authorization: `Bearer ${await provider.impersonated({ jti, ...claims })}` }
    }
    const ask = (path: string, headers: Record<string, string | string[]>) =>
      send(api.origin, path, headers)

    it('lets nothing open after an end, and nothing poll after the client has gone', async () => {
      using clock = stoppedClock()
      const open = async (idx: number) =>
        (name === 'ws' ? openSocket : openStream)(
          api.origin,
          await bearer({ status: provider.status(idx) }),
        )
      /** Lets time pass, step by step, until it is over or what is waited for has come. */
      async function pass(seconds: number, isSo = () => false): Promise<void> {
        for (let passed = 0; passed < seconds && !isSo(); passed += 0.5) {
          clock.pass(0.5)
          await wait(20)
        }
        for (let turn = 0; turn < 50 && !isSo(); turn += 1) await wait(2)
      }
      const [mine, other] = [await open(1), await open(2)]
      await pass(11)
      expect(mine.isOpen).to.equal(true)
      provider.ended.add(1)
      await pass(8, () => !mine.isOpen)
      expect([mine.isOpen, other.isOpen]).to.deep.equal([false, true])
      other.leave()
      await wait(50)
      const before = provider.asked.length
      await pass(15)
      expect(provider.asked).to.have.lengthOf(before)
    })

    if (name === 'ws') return

    it('reads bearer tokens and proofs, by the path that was asked for', async () => {
      const shown = (dpop: string | string[]) =>
        ask('/v1/orders?page=2', {
          host: 'other.example.com',
          authorization: `DPoP ${client.bound}`,
          dpop,
        })
      const proof = (htu = `${BASE}/v1/orders`) => client.proof({ htu })
      const used = await proof()
      const bearer = { authorization: `Bearer ${await provider.tokens.token()}` }
      for (const { status, body, challenge } of [
        await ask('/v1/orders', bearer),
        await shown(used),
      ]) {
        expect([status, body, challenge]).to.deep.equal([200, 'alice', undefined])
      }
      for (const dpop of [
        used,
        await proof(`${BASE}/orders`),
        await proof('https://other.example.com/v1/orders'),
        [await proof(), await proof()],
      ]) {
        const { status, challenge } = await shown(dpop)
        expect(status).to.equal(401)
        expect(challenge).to.match(/^DPoP realm="[^"]+", error="invalid_dpop_proof", /)
      }
      expect(told.uses).to.deep.equal([])
    })

    it('tells each use once: by whom, of what, with which status', async () => {
      const before = Date.now()
      for (const [path, status] of [
        ['/v1/orders?email=alice@example.com', 200],
        ['/v1/email/1%2F2', 403],
        ['/v1/broken', 500],
      ] as const) {
        expect((await ask(path, impersonated)).status).to.equal(status)
      }
      const left = performance.now() + 150
      await leave(`${api.origin}/v1/slow`, impersonated, () => performance.now() > left)
      const uses = await told.take(4)
      const common = {
        ...{ id, userId: 'alice', actor: act, client: 'console', audience: AUDIENCE },
        method: 'GET',
      }
      const refused = {
        by: 'impersonation',
        error: 'access_denied',
        description: 'not while an operator acts for the user',
      }
      expect(uses.map(without)).to.deep.equal([
        { ...common, path: '/v1/orders', status: 200 },
        { ...common, path: '/v1/email/1%2F2', status: 403, refused },
        { ...common, path: '/v1/broken', status: 500 },
        { ...common, path: '/v1/slow' },
      ])
      for (const { timeMs } of uses) expect(timeMs).to.be.within(before, Date.now())
      expect(new Set(uses.map(({ useId }) => useId)).size).to.equal(4)
    })

    it('lets nothing pass if a status list or the keys cannot be had', async () => {
      provider.answer = (_request, response) => response.writeHead(500).end()
      const listless = await ask('/v1/orders', await bearer({ status: provider.status(1) }))
      expect([listless.status, listless.challenge]).to.deep.equal([503, undefined])
      expect(listless.retryAfter).to.equal('1')
      expect(listless.body).to.not.include('alice')
      provider.tokens.answer.jwks = (_request, response) => response.writeHead(503).end()
      await api.close()
      api = await start(provider.guard())
      const keyless = await ask('/v1/orders', impersonated)
      expect([keyless.status, keyless.challenge]).to.deep.equal([500, undefined])
      expect(keyless.body).to.not.include('alice')
    })

    if (name.includes('authenticate') || name.includes('Hono')) return

    it('refuses with both challenges and an error, which no cache keeps', async () => {
      const realm = `realm="${provider.issuer}"`
      const { challenge, body, ...refused } = await ask('/v1/orders', {})
      // RFC 9449 §7.2, figure 17.
      expect(challenge).to.equal(`Bearer ${realm}, DPoP ${realm}, ${DPOP}`)
      const type = 'application/json; charset=utf-8'
      expect(refused).to.include({ status: 401, cacheControl: 'no-store', type })
      expect(JSON.parse(body)).to.deep.equal({
        error: 'invalid_token',
        error_description: 'no access token provided',
      })
      // Figure 18.
      const invalid = await ask('/v1/orders', { authorization: 'Bearer x' })
      expect(invalid.challenge).to.equal(
        `Bearer ${realm}, error="invalid_token", error_description="access token is not valid here", DPoP ${realm}, ${DPOP}`,
      )
      const denied = await ask('/v1/email', impersonated)
      expect(JSON.parse(denied.body).error).to.equal('access_denied')
    })
  })
}
