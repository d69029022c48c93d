import { createServer } from 'node:http'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { listening } from '../../../../test/support/token-issuer.ts'
import type { ImpersonationUse, OnImpersonatedRequest } from '../../src/index.ts'
import { send } from '../send.ts'
import { type StatusProvider, startStatusProvider } from '../status/status-provider.ts'
import { warnings } from './told-uses.ts'

describe('onImpersonatedRequest in trouble', () => {
  let provider: StatusProvider
  let headers: { authorization: string }

  before(async () => {
    provider = await startStatusProvider()
    headers = { authorization: `Bearer ${await provider.impersonated({})}` }
  })
  after(() => provider.close())

  /** Two requests on the way through a guard with this function; answers the uses and warnings. */
  async function twice(listener: OnImpersonatedRequest, meanwhile = () => {}) {
    await using warned = warnings()
    const uses: ImpersonationUse[] = []
    const api = provider.guard({
      onImpersonatedRequest(use) {
        uses.push(use)
        return listener(use)
      },
    })
    const server = createServer((request, response) =>
      api.connect()(request, response, () => response.end('orders')),
    )
    try {
      const origin = await listening(server)
      for (const path of ['/a', '/b']) {
        const { status, body } = await send(origin, path, headers)
        expect([status, body]).to.deep.equal([200, 'orders'])
      }
      for (let turns = 0; turns < 10; turns += 1) await turn()
      meanwhile()
      for (let turns = 0; turns < 10; turns += 1) await turn()
    } finally {
      server.close()
      server.closeAllConnections()
    }
    expect(uses.map(({ path }) => path)).to.deep.equal(['/a', '/b'])
    const told = warned.told.filter(({ name }) => name === 'ImpersonationWarning')
    return { uses, told: told.map(({ message }) => message) }
  }

  const failures: Record<string, [OnImpersonatedRequest, string]> = {
    throws: [
      () => {
        throw new Error('the disk is full')
      },
      'the disk is full',
    ],
    rejects: [async () => Promise.reject(new Error('the disk is full')), 'the disk is full'],
    'rejects with no Error': [async () => Promise.reject('full'), 'no Error'],
    'answers what is like a promise and rejects': [
      // biome-ignore lint/suspicious/noThenProperty: that is what is tested
      () => ({ then: (_: unknown, reject: (cause: Error) => void) => reject(new Error('full')) }),
      'full',
    ],
  }
  for (const [name, [listener, message]] of Object.entries(failures)) {
    it(`a function that ${name}: the answer stays, and each use is a warning`, async () => {
      const { uses, told } = await twice(listener)
      expect(told).to.deep.equal(
        uses.map(
          ({ useId }) =>
            `onImpersonatedRequest failed (${message}): the use ${useId} may not be recorded`,
        ),
      )
    })
  }

  it('a function that never settles: the answer stays, and a warning after 30 seconds', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const early = await twice(
        () => new Promise(() => {}),
        () => mock.timers.tick(29_999),
      )
      expect(early.told).to.deep.equal([])
      mock.timers.reset()
      mock.timers.enable({ apis: ['setTimeout'] })
      const { uses, told } = await twice(
        () => new Promise(() => {}),
        () => mock.timers.tick(30_000),
      )
      expect(told).to.deep.equal(
        uses.map(
          ({ useId }) =>
            `onImpersonatedRequest has not settled after 30 s: the use ${useId} may not be recorded`,
        ),
      )
    } finally {
      mock.timers.reset()
    }
  })

  it('a function that settles is no warning, whatever it answers', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      for (const listener of [() => 7, () => null, async () => 'stored', () => Promise.resolve()]) {
        const { told } = await twice(listener, () => mock.timers.tick(60_000))
        expect(told).to.deep.equal([])
      }
    } finally {
      mock.timers.reset()
    }
  })
})
