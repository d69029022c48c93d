import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { type GetCustomJwtClaims, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { deploy } from '../support/deployment.ts'
import { around, memoryAdapterWith } from '../support/faulty-adapter.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

describe('redeeming a subject token', () => {
  for (const [what, configuration, impersonation] of [
    ['the in-memory adapter of this package', { adapter: createMemoryAdapter() }, {}],
    ["oidc-provider's own in-memory adapter", { adapter: undefined }, {}],
    [
      'an adapter without consumeOnce, per process',
      { adapter: takingItsTime() },
      { subjectToken: { singleUse: 'per-process' as const } },
    ],
  ] as const) {
    // In CVE-2026-1035 (Keycloak) and CVE-2026-22751 (Spring), the use of a token was looked up
    // and then marked, and parallel requests fell between.
    it(`I1: of 100 exchanges that all pass every check first, one succeeds: ${what}`, async () => {
      await using deployment = await recording({
        configuration,
        impersonation: { ...impersonation, getCustomJwtClaims: startingLine(100) },
      })
      const subject_token = await deployment.subjectToken()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => deployment.exchange({ subject_token })),
      )
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused).to.have.lengthOf(99)
      for (const answer of refused) await expectAnswer(answer, 400, REFUSED)
      await deployment.expectWorthless(subject_token)
      const [, ...events] = await deployment.recorded()
      const started = events.filter(({ name }) => name === 'impersonation.started')
      const replayed = events.filter(({ name }) => name === 'impersonation.replayed')
      expect([started.length, events.length]).to.deep.equal([1, 101])
      // A process that keeps the claim to itself knows of it before the store does: how many find it there, time decides.
      expect(replayed.length).to.be.within(what.endsWith('per process') ? 1 : 100, 100)
      for (const { redemption } of replayed) expect(redemption?.jti).to.equal(started[0]?.jti)
    })
  }

  it('I1: what is redeemed per process is marked in the store, for the next process', async () => {
    const consumed: string[] = []
    const consume = async (id: string) => {
      consumed.push(id)
    }
    await using deployment = await deploy({
      adapter: memoryAdapterWith({ consumeOnce: undefined, consume }),
      impersonation: { subjectToken: { singleUse: 'per-process' } },
    })
    const subject_token = await deployment.subjectToken()
    await deployment.redeem(subject_token)
    expect(consumed).to.deep.equal([hash('sha256', subject_token, 'base64url')])
  })

  it('I8: what expires meanwhile is not redeemed per process, also where the store keeps it longer', async () => {
    using clock = stoppedClock()
    await using deployment = await deploy({
      // oidc-provider's own adapter keeps records longer by it.
      configuration: { adapter: undefined, clockTolerance: 60 },
      impersonation: {
        authorize: async ({ stage }) => {
          if (stage === 'exchange') clock.pass(2)
          return true
        },
      },
    })
    const subject_token = await deployment.subjectToken({ expiresIn: 1 })
    await deployment.expectWorthless(subject_token)
  })

  // Each method of the storage failing in turn: ../proofs/failing-methods.test.ts.
  it("I5: server_error has the storage's own error; one that poses as an answer is a cause", async () => {
    const plain = Object.assign(new Error('disk full'), { code: 'ENOSPC', status: 404 })
    const posing = Object.assign(new Error('invalid_grant'), { expose: true, statusCode: 200 })
    let outcome = async (): Promise<unknown> => 1
    await using deployment = await deploy({
      adapter: memoryAdapterWith({ consumeOnce: () => outcome() }),
      impersonation: { ending: { enabled: false } },
    })
    const subject_token = await deployment.subjectToken()
    const reported = async () => {
      await expectAnswer(deployment.exchange({ subject_token }), 500, 'server_error')
      return deployment.serverErrors.splice(0)[0]
    }
    expect(String(await reported()), 'neither true nor false').to.include('consumeOnce')
    for (const thrown of [plain, posing, undefined, 'text']) {
      outcome = () => Promise.reject(thrown)
      if (thrown === plain) expect(await reported()).to.equal(plain)
      else expect(await reported()).to.have.property('cause', thrown)
    }
  })
})

/** Other requests run between what `find` reads and what its caller does with it. */
function takingItsTime() {
  return around(memoryAdapterWith({ consumeOnce: undefined }), async (method, _args, call) => {
    const found = await call()
    for (let turns = 0; method === 'find' && turns < 200; turns += 1) await turn()
    return found
  })
}

/**
 * A hook that lets exchanges go on only once this many have passed every check: a race that the
 * scheduler cannot decide to call off.
 */
function startingLine(count: number): GetCustomJwtClaims {
  const started = Promise.withResolvers<void>()
  let waiting = 0
  return async ({ context }) => {
    if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
    waiting += 1
    if (waiting === count) started.resolve()
    await started.promise
    return {}
  }
}
