import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { consumeOnceScript, upsertScript } from '../../src/adapters/redis/scripts.ts'
import { type FaultKind, FaultProxy } from './fault-proxy.ts'
import {
  type Answer,
  type ProviderProcess,
  REFUSED,
  startProvider,
  succeeded,
} from './providers.ts'
import { FAULT_BOUND_MS, FAULT_TIMEOUT_MS } from './storage.ts'
import { onStores } from './stores.ts'

const KINDS: readonly FaultKind[] = ['reset in mid-command', 'stall', 'reply lost', 'reply late']

/** The three commands on the wire. */
const COMMANDS = {
  redis: { write: upsertScript.sha, read: 'HMGET', claim: consumeOnceScript.sha },
  pg: { write: '_upsert', read: '_find', claim: '_consumeOnce' },
}

describe('I5: trouble between provider and storage', function () {
  this.timeout(120_000)

  onStores(['node-redis', 'ioredis', 'pg'], (store) => {
    const commands = store.driver === 'pg' ? COMMANDS.pg : COMMANDS.redis
    let proxy: FaultProxy
    let provider: ProviderProcess

    before(async () => {
      const spec = store.spec()
      proxy = new FaultProxy(spec.location, store.driver === 'pg' ? 5432 : 6379)
      await proxy.listen()
      const location = proxy.through(spec.location)
      provider = await startProvider({
        storage: { ...spec, location, timeoutMs: FAULT_TIMEOUT_MS },
      })
      await works()
    })
    // cleans up, so that a failed proof does not make the next proofs fail
    afterEach(() => proxy.heal())
    after(async () => {
      await provider?.stop()
      await proxy?.close()
    })

    /**
     * The provider works again without a restart, at the latest after its client has reconnected.
     */
    async function works(): Promise<void> {
      const deadline = Date.now() + FAULT_BOUND_MS
      for (;;) {
        const { status, body } = await provider.issue()
        if (status === 201) {
          const answer = await provider.exchange(JSON.parse(body).subjectToken)
          if (succeeded(answer)) return
        }
        expect(Date.now(), `still failing: ${body}`).to.be.below(deadline)
        await wait(20)
      }
    }

    async function expectTrouble(request: () => Promise<Answer>): Promise<void> {
      const started = Date.now()
      const { status, body } = await request()
      expect(Date.now() - started).to.be.below(FAULT_BOUND_MS)
      expect(status, body).to.be.within(500, 599)
      expect(JSON.parse(body)).to.have.property('error', 'server_error')
      expect(body).to.not.match(/token/i)
    }

    /** Returns the number of times that the token still works. */
    async function redemptions(token: string): Promise<number> {
      const answers = await Promise.all([1, 2, 3, 4].map(() => provider.exchange(token)))
      for (const answer of answers) if (!succeeded(answer)) expect(answer).to.deep.equal(REFUSED)
      return answers.filter(succeeded).length
    }

    it('connection refused: both endpoints answer 5xx, and the token still works once', async () => {
      const token = await provider.subjectToken()
      await proxy.refuse()
      for (let i = 0; i < 3; i += 1) {
        await expectTrouble(() => provider.issue())
        await expectTrouble(() => provider.exchange(token))
      }
      await proxy.heal()
      await works()
      expect(await redemptions(token)).to.equal(1)
    })

    /** Trouble at one command, until the fault is over. */
    async function expectFault(kind: FaultKind, command: string, request: () => Promise<Answer>) {
      const hits = proxy.hits
      proxy.inject({ kind, command })
      await expectTrouble(request)
      expect(proxy.hits).to.be.above(hits)
      await proxy.heal()
      await works()
    }

    for (const kind of KINDS) {
      it(`${kind}, at the write of an issue`, () =>
        expectFault(kind, commands.write, () => provider.issue()))

      it(`${kind}, at the read of an exchange: I2, the token still works once`, async () => {
        const token = await provider.subjectToken()
        await expectFault(kind, commands.read, () => provider.exchange(token))
        expect(await redemptions(token)).to.equal(1)
      })

      it(`${kind}, at the claim of an exchange: I1, never twice`, async () => {
        const token = await provider.subjectToken()
        await expectFault(kind, commands.claim, () => provider.exchange(token))
        const later = await redemptions(token)
        // A command that the server executed counts. A command that was cut does not count, unless
        // the driver sends it again (ioredis). A command that is still on its way when the provider
        // works again may arrive first or later.
        if (kind.startsWith('reply')) expect(later).to.equal(0)
        else if (kind === 'stall' || store.driver === 'ioredis') expect(later).to.be.within(0, 1)
        else expect(later).to.equal(1)
      })
    }

    it('everything stalls under load: a hundred requests answer 5xx, and no token is lost or doubled', async () => {
      const tokens = await provider.subjectTokens(50)
      proxy.inject({ kind: 'stall', command: '' })
      await Promise.all(
        tokens.flatMap((token) => [
          expectTrouble(() => provider.exchange(token)),
          expectTrouble(() => provider.issue()),
        ]),
      )
      await proxy.heal()
      await works()
      for (const token of tokens.slice(0, 5)) expect(await redemptions(token)).to.equal(1)
    })

    if (store.driver === 'ioredis') {
      it('a reply lost once: ioredis sends the claim again, and gets the answer that was lost', async () => {
        const token = await provider.subjectToken()
        proxy.inject({ kind: 'reply lost', command: commands.claim, times: 1 })
        expect(await provider.exchange(token)).to.satisfy(succeeded)
        await proxy.heal()
        expect(await redemptions(token)).to.equal(0)
      })
    }
  })
})
