import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { warnings } from '../../../../test/support/warnings.ts'
import type { ImpersonationUse, OnImpersonatedRequest } from '../../src/index.ts'
import { expectAlice } from '../refusal.ts'
import { startStatusProvider } from '../status/status-provider.ts'

describe('a function onImpersonatedRequest', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  /** Returns the uses of two requests, and the warnings once so much time has passed. */
  async function twice(listener: OnImpersonatedRequest, seconds = 60) {
    using warned = warnings()
    const uses: ImpersonationUse[] = []
    using provider = await startStatusProvider()
    const api = provider.guard({
      onImpersonatedRequest(use) {
        uses.push(use)
        return listener(use)
      },
    })
    const authorization = `Bearer ${await provider.impersonated({})}`
    for (const _ of [1, 2]) {
      await expectAlice(api.authenticate(authorization))
    }
    for (let turns = 0; turns < 10; turns += 1) await turn()
    mock.timers.tick(seconds * 1000)
    for (let turns = 0; turns < 10; turns += 1) await turn()
    expect(uses).to.have.lengthOf(2)
    const told = warned.told.filter(({ name }) => name === 'ImpersonationWarning')
    return { uses, told: told.map(({ message }) => message) }
  }

  const failures: Record<string, [OnImpersonatedRequest, string]> = {
    throws: [
      () => {
        throw new Error('the disk is full')
      },
      'failed (the disk is full)',
    ],
    rejects: [async () => Promise.reject(new Error('full')), 'failed (full)'],
    'rejects with no Error': [async () => Promise.reject('full'), 'failed (no Error)'],
    'returns what is like a promise and rejects': [
      // biome-ignore lint/suspicious/noThenProperty: that is what is tested
      () => ({ then: (_: unknown, reject: (cause: Error) => void) => reject(new Error('full')) }),
      'failed (full)',
    ],
    'never settles': [() => new Promise(() => {}), 'has not settled after 30 s'],
  }
  for (const [name, [listener, message]] of Object.entries(failures)) {
    it(`that ${name}: the answer stays, and each use is a warning`, async () => {
      const { uses, told } = await twice(listener, 30)
      expect(told).to.deep.equal(
        uses.map(
          ({ useId }) => `onImpersonatedRequest ${message}: the use ${useId} may not be recorded`,
        ),
      )
    })
  }

  it('that settles, or has 30 seconds left, is no warning', async () => {
    for (const listener of [() => 7, () => null, async () => 'stored', () => Promise.resolve()]) {
      expect((await twice(listener)).told).to.deep.equal([])
    }
    expect((await twice(() => new Promise(() => {}), 29.999)).told).to.deep.equal([])
  })
})
