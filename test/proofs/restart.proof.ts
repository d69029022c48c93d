import { expect } from 'chai'
import { type ProviderProcess, REFUSED, startProvider, succeeded } from './providers.ts'
import { onStores } from './stores.ts'

describe('I1: one redemption, across the end of a process', function () {
  this.timeout(120_000)

  onStores(['sqlite', 'node-redis', 'pg'], (store) => {
    const running = new Set<ProviderProcess>()
    const start = async () => {
      const provider = await startProvider({ storage: store.spec() })
      running.add(provider)
      return provider
    }
    const kill = async (provider: ProviderProcess) => {
      running.delete(provider)
      await provider.kill()
    }
    afterEach(async () => {
      for (const provider of running) await kill(provider)
    })

    // In CVE-2026-9802 (Keycloak), the mark that separates used tokens from unused ones was reset
    // when the server restarted.
    it('a restart between issue and exchange, and one after it: works once', async () => {
      const issuer = await start()
      const token = await issuer.subjectToken()
      await issuer.stop()
      const second = await start()
      expect(await second.exchange(token)).to.satisfy(succeeded)
      await second.stop()
      expect(await (await start()).exchange(token)).to.deep.equal(REFUSED)
    })

    it('kill -9 at whatever moment under load: no token twice, and the others still once', async () => {
      const [victim, other] = await Promise.all([start(), start()])
      const tokens = await other.subjectTokens(200)
      const wins = new Map(tokens.map((token) => [token, 0]))
      let answered = 0
      const attempt = async (provider: ProviderProcess, token: string) => {
        const answer = await provider.exchange(token)
        if (succeeded(answer)) wins.set(token, (wins.get(token) ?? 0) + 1)
        else expect(answer).to.deep.equal(REFUSED)
        answered += 1
        if (answered === 60) victim.child.kill('SIGKILL')
      }
      const before = await Promise.allSettled(tokens.map((token) => attempt(victim, token)))
      await kill(victim)
      const cut = before.filter(({ status }) => status === 'rejected').length
      expect(cut).to.be.within(1, 140)

      await Promise.all(tokens.flatMap((token) => [1, 2].map(() => attempt(other, token))))
      expect([...wins.values()].filter((count) => count > 1)).to.deep.equal([])
      // At most the hundred tokens in use at the killed process are lost; the other tokens are
      // still valid.
      expect([...wins.values()].filter((count) => count === 1)).to.have.length.at.least(100)
    })
  })
})
