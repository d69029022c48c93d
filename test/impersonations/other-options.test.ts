import { expect } from 'chai'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent, ImpersonationOptions } from '../../src/index.ts'
import { at } from '../support/clock.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { counted, expectActive, only } from './recorded-endings.ts'

const MINUTE = 60_000
const [JWT, OPAQUE] = ['https://jwt.example', 'https://opaque.example'] as const
const LONG = { scope: 'orders:read', accessTokenTTL: 14_400 }

/** Two processes of one provider on one store: one issues and ends, the other exchanges. */
async function processes(
  issuing: Partial<ImpersonationOptions>,
  exchanging: Partial<ImpersonationOptions>,
) {
  // Of this moment: the default is the function that `Date.now` is now.
  const adapter = createMemoryAdapter({ now: () => Date.now() })
  const options = (impersonation: Partial<ImpersonationOptions>): DeploymentOptions => ({
    adapter,
    impersonation,
    resources: {
      [JWT]: { ...LONG, accessTokenFormat: 'jwt' },
      [OPAQUE]: { ...LONG, accessTokenFormat: 'opaque' },
    },
  })
  const first = await deploy(options(issuing))
  const second = await deploy(options(exchanging), first)
  /** Issues at the first, exchanges at the second, and resolves with the answer. */
  const exchange = async (resource: string = JWT) => {
    const subject_token = await first.subjectToken()
    return (await second.exchange({ subject_token, resource })).body
  }
  return {
    first,
    second,
    exchange,
    async [Symbol.asyncDispose]() {
      await second.close()
      await first.close()
    },
  }
}

const maxTtl = (seconds: number) => ({ accessToken: { maxTtl: seconds } })

/** Returns the verdict of an API that starts in this moment, so that it has no copy of a list. */
function sayAt({ issuer }: Deployment, token: string): Promise<string> {
  const options = { issuer, audience: JWT, requireStatus: true, clockTolerance: 300 }
  return verdict(resourceServer(options), token)
}

describe('I14: what another process with other options exchanges can be ended', () => {
  const ways: Record<string, (first: Deployment, token: string) => Promise<unknown>> = {
    'by its id': async ({ provider }) => {
      const [object] = (await provider.impersonation.list()).items
      return (await provider.impersonation.end(String(object?.id)))?.state === 'ended'
    },
    'with all of the user': async ({ endAll }) => (await endAll()) === 1,
    'by its own token': async ({ endCurrent }, token) => (await endCurrent(token)).status === 204,
  }
  for (const [issues, exchanges] of [
    [600, 3600],
    [300, 14_400],
    [3600, 600],
  ] as const) {
    for (const [how, endIt] of Object.entries(ways)) {
      it(`${how}, in its last second: issued under ${issues} s, exchanged under ${exchanges} s`, async () => {
        await using both = await processes(maxTtl(issues), maxTtl(exchanges))
        const { access_token } = await both.exchange()
        const expiresAt = Number((await only(both.first)).expiresAt)
        await at((expiresAt - 1) * 1000, async () => {
          expect(await sayAt(both.first, access_token)).to.equal('alice')
          expect(await endIt(both.first, access_token)).to.equal(true)
        })
        // A guard whose clock is slow by 300 s.
        await at((expiresAt + 299) * 1000, async () => {
          expect(await sayAt(both.first, access_token)).to.equal(ENDED)
        })
      })
    }
  }

  it('the token lives for what the record allows, and no longer than maxTtl of who exchanges', async () => {
    for (const [issues, exchanges, expected] of [
      [600, 3600, 1200],
      [300, 14_400, 900],
      [3600, 600, 600],
    ] as const) {
      await using both = await processes(maxTtl(issues), maxTtl(exchanges))
      for (const resource of [JWT, OPAQUE]) {
        const { expires_in } = await both.exchange(resource)
        expect(expires_in, resource).to.be.closeTo(expected, 30)
      }
    }
  })

  it('one that has ended is accepted at no later moment', async () => {
    await using both = await processes(maxTtl(300), maxTtl(14_400))
    const { access_token } = await both.exchange()
    await both.first.endAll()
    const start = Date.now()
    for (const minute of [0, 5, 15, 20, 25, 30, 60, 90, 240]) {
      await at(start + minute * MINUTE, async () => {
        expect(await sayAt(both.first, access_token), `minute ${minute}`).to.match(/^401/)
      })
    }
  })

  it('also where the process that exchanges can end nothing itself', async () => {
    await using both = await processes(maxTtl(600), { ending: { enabled: false } })
    const [jwt, opaque] = [await both.exchange(), await both.exchange(OPAQUE)]
    for (const { expires_in } of [jwt, opaque]) expect(expires_in).to.be.closeTo(1200, 30)
    await at(Date.now() + 1190_000, async () => {
      await expectActive(both.second, opaque.access_token, true)
      expect(await both.first.endAll()).to.equal(2)
      await expectActive(both.first, opaque.access_token, false)
      expect(await sayAt(both.first, jwt.access_token)).to.equal(ENDED)
    })
  })

  it('an opaque token that has ended stays ended where nothing can be ended', async () => {
    await using both = await processes({}, { ending: { enabled: false } })
    const { token } = await both.first.impersonate({ resource: OPAQUE })
    await expectActive(both.second, token, true)
    await both.first.endAll()
    await expectActive(both.second, token, false)
  })

  it('an opaque token whose record is gone is active where nothing can be ended, as it was there', async () => {
    await using both = await processes({ ending: { enabled: false } }, {})
    const { token } = await both.first.impersonate({ resource: OPAQUE })
    await at(Date.now() + 601_000, async () => {
      await expectActive(both.first, token, true)
      await expectActive(both.second, token, false)
    })
  })

  it('what was issued where nothing can be ended is refused where it can, and stays usable there', async () => {
    await using both = await processes({ ending: { enabled: false } }, {})
    const denied: ImpersonationEvent[] = []
    both.second.provider.on('impersonation.denied', (_ctx, event) => denied.push(event))
    const subject_token = await both.first.subjectToken()
    await expectAnswer(both.second.exchange({ subject_token }), 400, REFUSED)
    await counted(denied, 1)
    expect(denied[0]?.denial?.reason).to.contain('could not be ended')
    await expectAnswer(both.first.exchange({ subject_token }), 200)
  })
})
