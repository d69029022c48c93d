import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { stoppedClock } from '../../../../test/support/stopped-clock.ts'
import type { ResourceServer } from '../../src/index.ts'
import { type StatusProvider, startStatusProvider } from '../status/status-provider.ts'
import { STREAMS, type StreamingApi } from './streams.ts'

/** A connection to an API that has sent its first words. */
interface Open {
  isOpen: boolean
  /** The client goes away. */
  leave(): void
}

async function openStream(origin: string, authorization: string): Promise<Open> {
  const request = get(origin, { headers: { authorization }, agent: false })
  const [response] = await once(request, 'response')
  const open: Open = { isOpen: true, leave: () => request.destroy() }
  response.on('error', () => {})
  response.on('close', () => {
    open.isOpen = false
  })
  await once(response, 'data')
  return open
}

async function openSocket(origin: string, authorization: string): Promise<Open> {
  const socket = new WebSocket(origin.replace('http', 'ws'), { headers: { authorization } })
  const open: Open = { isOpen: true, leave: () => socket.terminate() }
  socket.on('close', () => {
    open.isOpen = false
  })
  await once(socket, 'message')
  return open
}

for (const [name, start] of Object.entries(STREAMS)) {
  describe(`a stream in ${name}`, () => {
    let provider: StatusProvider
    let clock: ReturnType<typeof stoppedClock>
    let api: StreamingApi
    let fetched: number

    beforeEach(async () => {
      clock = stoppedClock()
      provider = await startStatusProvider()
      fetched = 0
      const guard: ResourceServer = provider.guard({
        fetch(url, init) {
          if (url.includes('/status-lists/')) fetched += 1
          return fetch(url, init)
        },
      })
      api = await start(guard)
    })
    afterEach(() => {
      clock[Symbol.dispose]()
      api.close()
      provider.close()
    })

    const open = async (claims: object) => {
      const authorization = `Bearer ${await provider.impersonated(claims)}`
      return await (name === 'ws' ? openSocket : openStream)(api.origin, authorization)
    }
    /** Lets time pass, step by step, until it is over or what is waited for has come. */
    async function pass(seconds: number, isSo = () => false): Promise<void> {
      for (let passed = 0; passed < seconds && !isSo(); passed += 0.5) {
        clock.pass(0.5)
        await wait(20)
      }
      for (let turn = 0; turn < 50 && !isSo(); turn += 1) await wait(2)
    }

    it('closes within 8 seconds of an end, and others go on', async () => {
      const mine = await open({ status: provider.status(1) })
      const other = await open({ status: provider.status(2) })
      await pass(11)
      expect(mine.isOpen).to.equal(true)
      provider.ended.add(1)
      await pass(8, () => !mine.isOpen)
      expect(mine.isOpen).to.equal(false)
      expect(other.isOpen).to.equal(true)
      other.leave()
    })

    it('closes when its token expires', async () => {
      const exp = Math.floor(Date.now() / 1000) + 12
      const mine = await open({ status: provider.status(1), exp })
      await pass(10)
      expect(mine.isOpen).to.equal(true)
      await pass(3, () => !mine.isOpen)
      expect(mine.isOpen).to.equal(false)
    })

    it('costs nothing after the client has gone', async () => {
      const opened = await Promise.all(
        [1, 2, 3].map((idx) => open({ status: provider.status(idx) })),
      )
      await pass(7)
      expect(fetched).to.be.within(2, 3)
      for (const { leave } of opened) leave()
      await wait(50)
      const before = fetched
      await pass(15)
      expect(fetched).to.equal(before)
    })
  })
}
