import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { athOf, dpopKey } from '../../../../test/support/dpop.ts'
import { renewed } from '../../../../test/support/shared.ts'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import { AUDIENCE } from '../../../../test/support/token-issuer.ts'
import {
  type ApiRequest,
  type Caller,
  denyImpersonation,
  type Fetch,
  type ImpersonationUse,
  RequestRefused,
  type ResourceServer,
  StatusUnavailable,
} from '../../src/index.ts'
import { startStatusProvider } from '../status/status-provider.ts'
import { Connection } from '../uses/told-uses.ts'

/** The global one has timers of its own. */
const fetchWithoutTimers: Fetch = async (url, { headers, signal }) => {
  const request = get(url, {
    headers: Object.fromEntries(new Headers(headers)),
    agent: false,
    signal,
  })
  const [response] = await once(request, 'response')
  return new Response(Readable.toWeb(response) as ReadableStream, {
    status: response.statusCode,
    headers: response.headers,
  })
}

describe('caller.signal', () => {
  let uses: ImpersonationUse[]
  let api: ResourceServer
  let token: string

  const clock = renewed(stoppedClock)
  const provider = renewed(startStatusProvider)
  beforeEach(async () => {
    uses = []
    api = provider.guard({
      onImpersonatedRequest: (use) => uses.push(use),
      fetch: fetchWithoutTimers,
    })
    token = await provider.impersonated(1)
  })

  const requestWith = (accessToken = token, more: object = {}): ApiRequest => ({
    method: 'GET',
    url: '/stream',
    headers: { authorization: `Bearer ${accessToken}` },
    ...more,
  })
  /** Lets time pass as it does, step by step, with all that is fetched meanwhile. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 0.5) {
      clock.pass(0.5)
      await wait(10)
    }
  }
  const fetches = () => provider.asked.length

  it('aborts within 8 seconds of an end, and says so', async () => {
    const { signal } = await api.authenticate(requestWith())
    const other = await api.authenticate(requestWith(await provider.impersonated(2)))
    const { signal: others } = other
    await pass(12)
    expect(signal.aborted).to.equal(false)
    provider.ended.add(1)
    await pass(8)
    expect(signal.aborted).to.equal(true)
    expect(signal.reason).to.be.instanceOf(RequestRefused)
    expect(signal.reason).to.include({ status: 401, message: 'impersonation has ended' })
    expect(others.aborted).to.equal(false)
  })

  it('aborts in time also if it is read late, and the end was known before', async () => {
    const caller = await api.authenticate(requestWith())
    provider.ended.add(1)
    clock.pass(6)
    await api.authenticate(requestWith(await provider.impersonated(2)))
    clock.pass(2)
    const { signal } = caller
    await wait(20)
    expect(signal.aborted).to.equal(true)
  })

  it('aborts when the token expires, of ordinary users, too, who lead to no fetch of a list', async () => {
    const exp = Math.floor(Date.now() / 1000) + 130
    const own = await api.authenticate(requestWith(await provider.tokens.token({ exp })))
    const { signal } = own
    await pass(128)
    expect(signal.aborted).to.equal(false)
    await pass(3)
    expect(signal.reason).to.be.instanceOf(RequestRefused)
    expect(signal.reason).to.include({ status: 401, message: 'access token has expired' })
    expect(fetches()).to.equal(0)
    expect(clock.waiting).to.equal(0)
    expect(uses).to.deep.equal([])
  })

  it('read of a token that expires now, it aborts after whoever reads it can listen', async () => {
    const exp = Math.floor(Date.now() / 1000) - 2
    const { signal } = await api.authenticate(requestWith(await provider.tokens.token({ exp })))
    expect(signal.aborted).to.equal(false)
    const aborted = once(signal, 'abort')
    await aborted
  })

  it('aborts if no answer could be had until the last copy was too old, and not before', async () => {
    const { signal } = await api.authenticate(requestWith())
    const { signal: other } = await api.authenticate(requestWith())
    await wait(20)
    const { answer } = provider
    const down: typeof answer = (request) => request.destroy()
    provider.answer = down
    const before = fetches()
    await pass(29)
    expect(signal.aborted).to.equal(false)
    // It polls no faster than the ttl also while the provider is away.
    expect(fetches() - before).to.be.within(4, 6)
    // It outlives an outage that is shorter.
    provider.answer = answer
    await pass(30)
    expect(signal.aborted).to.equal(false)
    provider.answer = down
    await pass(32)
    for (const { reason } of [signal, other]) {
      expect(reason).to.be.instanceOf(StatusUnavailable)
      expect(reason).to.include({ status: 503 })
    }
    expect(clock.waiting).to.equal(0)
  })

  it('works for a token that is bound to a key, without another proof', async () => {
    const key = await dpopKey()
    const bound = await provider.impersonated({
      cnf: { jkt: key.thumbprint },
      status: provider.status(1),
    })
    const base = 'https://api.example.com'
    const dpop = await key.proof({ htm: 'GET', htu: `${base}/stream`, ath: athOf(bound) })
    const headers = { authorization: `DPoP ${bound}`, dpop }
    const guard = provider.guard({ dPoP: { baseUrl: base } })
    const { signal } = await guard.authenticate({ method: 'GET', url: '/stream', headers })
    provider.ended.add(1)
    await pass(8)
    expect(signal.reason).to.include({ message: 'impersonation has ended' })
  })

  describe('with a thousand streams', () => {
    let connections: Connection[]
    let callers: Caller[]

    beforeEach(async () => {
      connections = Array.from({ length: 1000 }, () => new Connection())
      callers = []
      for (const res of connections)
        callers.push(await api.authenticate(requestWith(token, { res })))
    })

    it('they cost nothing until it is read, and all abort at the end', async () => {
      // The time limit of the last fetch may still stand.
      for (let turn = 0; clock.waiting > 0 && turn < 100; turn += 1) await wait(10)
      expect(clock.waiting).to.equal(0)
      expect(fetches()).to.equal(1)
      await pass(20)
      expect(fetches()).to.equal(1)
      expect(connections[0]?.listenerCount('close')).to.equal(1)
      const signals = callers.map(({ signal }) => signal)
      provider.ended.add(1)
      await pass(8)
      expect(signals.every(({ aborted }) => aborted)).to.equal(true)
      expect(clock.waiting).to.equal(0)
    })

    it('it costs one fetch of the list for each ttl, and nothing polls after they have closed', async () => {
      const signals = callers.map(({ signal }) => signal)
      // Counts from between two fetches on.
      await pass(7)
      const before = fetches()
      await pass(50)
      expect(fetches() - before).to.equal(10)
      for (const connection of connections) connection.close()
      expect(clock.waiting).to.equal(0)
      const closed = fetches()
      provider.ended.add(1)
      await pass(20)
      expect(fetches()).to.equal(closed)
      expect(signals.some(({ aborted }) => aborted)).to.equal(false)
    })
  })

  const others: Record<string, (connection: Connection) => object> = {
    'the socket of an upgrade': (socket) => ({ socket }),
    'the signal of a Fetch API request': (connection) => {
      const gone = new AbortController()
      connection.once('close', () => gone.abort())
      return { signal: gone.signal }
    },
    'a stream of HTTP/2': (connection) => ({
      res: Object.assign(connection, { stream: { destroyed: false } }),
    }),
  }
  for (const [what, show] of Object.entries(others)) {
    it(`is let go with ${what}`, async () => {
      const connection = new Connection()
      const { signal } = await api.authenticate(requestWith(token, show(connection)))
      await pass(3)
      expect(clock.waiting).to.equal(2)
      connection.close()
      expect(clock.waiting).to.equal(0)
      provider.ended.add(1)
      await pass(9)
      expect(signal.aborted).to.equal(false)
      expect(fetches()).to.equal(1)
    })
  }

  it('is let go if the connection closes while the list is fetched, and never watched if it was closed', async () => {
    const [open, closed] = [new Connection(), new Connection()]
    const { signal } = await api.authenticate(requestWith(token, { res: open }))
    await wait(20)
    const { promise, resolve } = Promise.withResolvers<void>()
    const { answer } = provider
    provider.answer = async (request, response) => {
      await promise
      answer(request, response)
    }
    provider.ended.add(1)
    clock.pass(5)
    open.close()
    resolve()
    await wait(20)
    const late = await api.authenticate(
      requestWith(await provider.impersonated(2), { res: closed }),
    )
    closed.close()
    expect(late.signal.aborted).to.equal(false)
    await pass(8)
    expect(signal.aborted).to.equal(false)
    expect(clock.waiting).to.equal(0)
  })

  it('is no member that copies, logs or comparisons see, of a caller that is frozen', async () => {
    const caller = await api.authenticate(requestWith())
    expect(Object.keys(caller)).not.to.include('signal')
    expect({ ...caller }).not.to.have.property('signal')
    JSON.stringify(caller)
    expect(caller).to.be.frozen
    expect(clock.waiting).to.equal(0)
    const { signal } = caller
    expect(caller.signal).to.equal(signal)
  })

  describe('and what operators do', () => {
    const turn = () => wait(20)

    it('its first read tells the use, once, without a status', async () => {
      const res = new Connection()
      const caller = await api.authenticate(requestWith(token, { res }))
      await turn()
      expect(uses).to.deep.equal([])
      res.headersSent = true
      void caller.signal
      expect(uses).to.have.lengthOf(1)
      expect(uses[0]).to.include({ userId: 'alice', path: '/stream', method: 'GET' })
      expect(uses[0]).not.to.have.property('status')
      void caller.signal
      // A refusal by a second guard is not lost.
      await api.authenticate(requestWith(token, { res }), denyImpersonation()).catch(() => {})
      res.emit('finish')
      res.close()
      await turn()
      expect(uses.map(({ refused }) => refused?.by)).to.deep.equal([undefined, 'impersonation'])
      const reading = ({ signal }: Caller) => void signal
      await api.authenticate(requestWith(token, { res: new Connection() }), reading)
      void (await api.authenticate(`Bearer ${token}`)).signal
      await turn()
      expect(uses).to.have.lengthOf(4)
    })
  })
})

const INDEX = new URL('../../src/index.ts', import.meta.url).href

describe('caller.signal in a process that has nothing else to do', () => {
  it('keeps no process alive', async () => {
    using provider = await startStatusProvider()
    const token = await provider.impersonated(1)
    const options = JSON.stringify({ issuer: provider.issuer, audience: AUDIENCE })
    const script = `
      const { resourceServer } = await import(${JSON.stringify(INDEX)})
      const { signal } = await resourceServer(${options}).authenticate('Bearer ${token}')
      signal.addEventListener('abort', () => {})
    `
    const startedAt = performance.now()
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    expect(code).to.equal(0)
    // A timer of the signal would keep it for five seconds at the least, and for an hour.
    expect(performance.now() - startedAt).to.be.below(4500)
  })
})
