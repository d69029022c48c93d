// Promises that hold whatever the configuration, the order of calls or the storage of a deployment.
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import express from 'express'
import { Provider as OidcProvider } from 'oidc-provider'
import { createMemoryAdapter } from '../src/adapters/memory.ts'
import { ImpersonationFeature, Provider } from '../src/index.ts'
import { createConsumer } from '../src/tokens/single-use.ts'
import { withMembers } from './adapters/with-members.ts'
import { deploy } from './support/deployment.ts'
import { expectAnswer } from './support/http.ts'
import { configuration, enabled, providerAt, serving, wholeFlow } from './support/serving.ts'

describe("the deployment's own configuration", () => {
  it("another issuer's subject token, on the same storage, is worth nothing", async () => {
    const adapter = createMemoryAdapter()
    await using one = await deploy({ adapter })
    await using other = await deploy({ adapter })
    const subject_token = await one.subjectToken()
    await expectAnswer(other.exchange({ subject_token }), 400)
    await one.redeem(subject_token)
  })

  it('I8: ttl.SubjectToken says how long a subject token lives, an hour at most', async () => {
    const failure = await deploy({ configuration: { ttl: { SubjectToken: 3601 } } }).catch(String)
    expect(failure).to.include('ttl.SubjectToken must be at most 3600')
    for (const [given, lives] of [
      [undefined, 600],
      [30, 30],
      [() => 30, 30],
      [() => 31536000, 3600],
    ] as const) {
      await using deployment = await deploy({ configuration: { ttl: { SubjectToken: given } } })
      expect((await deployment.issue()).body.expiresIn).to.equal(lives)
    }
  })

  it('behind a proxy, callback() trusts what the provider trusts', async () => {
    const seen: string[] = []
    const { adapter: _, ...others } = configuration
    const build = (base: string) => {
      const provider = new Provider(base, {
        ...others,
        adapter: createMemoryAdapter(),
        findAccount(ctx, sub) {
          seen.push(ctx.ip)
          return { accountId: sub, claims: () => ({ sub }) }
        },
        features: { ...configuration.features, impersonation: enabled },
      })
      provider.proxy = true
      return express().use(provider.impersonation.callback()).use(provider.callback())
    }
    await serving(build, async (base) => {
      const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
      expect(await wholeFlow(base, base, headers)).to.deep.equal([201, 200])
    })
    expect(new Set(seen)).to.deep.equal(new Set(['203.0.113.9']))
  })
})

describe('what is added after provider.callback()', () => {
  /** The statuses of a path of a callback from before, and of one from after. */
  async function statuses(provider: OidcProvider, path: string, method: string, add: () => void) {
    const found: number[] = []
    const build = () => {
      const app = express()
      app.use('/early', provider.callback())
      add()
      return app.use('/late', provider.callback())
    }
    await serving(build, async (base) => {
      for (const mount of ['early', 'late']) {
        found.push((await fetch(`${base}/${mount}${path}`, { method })).status)
      }
    })
    return found
  }

  it('by provider.use() has no effect on that callback, and has on a later one', async () => {
    const provider = providerAt('https://id.example.com')
    const add = () => void provider.use(provider.impersonation.routes())
    expect(await statuses(provider, '/api/subject-tokens', 'POST', add)).to.deep.equal([404, 401])
  })

  it('neither has a late register(): the status lists are 404, so APIs that check refuse every token', async () => {
    const impersonation = new ImpersonationFeature(enabled)
    const configured = impersonation.configure(configuration)
    const provider = new OidcProvider('https://id.example.com', configured)
    const add = () => impersonation.register(provider)
    expect(await statuses(provider, '/status-lists', 'GET', add)).to.deep.equal([404, 200])
  })
})

describe("the deployment's own storage", () => {
  it('I1: one guard for all providers of a process', async () => {
    const memory = createMemoryAdapter()('SubjectToken')
    await memory.upsert('guarded-id', { jti: 'guarded-id' }, 60)
    const find = async (id: string) => {
      await delay(5)
      return memory.find(id)
    }
    const adapter = withMembers(memory, { consumeOnce: undefined, find })
    const claims = Array.from({ length: 10 }, () => createConsumer(adapter, 'per-process'))
    const answers = await Promise.all(claims.map((claim) => claim('guarded-id')))
    expect(answers.filter((won) => won)).to.have.lengthOf(1)
  })
})
