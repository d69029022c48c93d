import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { Deployment } from '../support/deployment.ts'
import { type SignedIn, signIn } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { endings, isActive, only, until } from './recorded-endings.ts'

/** A deployment whose storage holds every redemption until it is let go. */
async function holding(clock: ReturnType<typeof stoppedClock>) {
  const memory = createMemoryAdapter()
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const heldOnce = async (id: string, note?: object) => {
    // The places of status lists are leased without a note.
    if (note) {
      reached.resolve()
      await released.promise
    }
    return memory('SubjectToken').consumeOnce(id, note && { ...note })
  }
  const adapter = (model: string) =>
    new Proxy(memory(model), {
      get: (target, name) => {
        const isHeld = name === 'consumeOnce' && model === 'SubjectToken'
        const member: unknown = isHeld ? heldOnce : Reflect.get(target, name)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
  const made = await endings({ configuration: { adapter } })
  const { deployment } = made
  const olivia = await signIn(deployment, 'olivia')

  return {
    ...made,
    olivia,
    /** Olivia's exchange, and what happens while its redemption takes that many seconds. */
    async exchangeHeld(
      seconds: number,
      meanwhile: () => Promise<unknown>,
      issued: { readonly expiresIn?: number } = {},
    ) {
      const { subjectToken: subject_token } = (
        await deployment.issue({ userId: 'alice', ...issued })
      ).body
      const resource = `${deployment.base}/opaque`
      const actor_token = olivia.access_token
      const answer = deployment.exchange({ subject_token, actor_token, resource })
      await reached.promise
      await meanwhile()
      // What comes at once comes now: it finds nothing.
      await new Promise((resolve) => setTimeout(resolve, 20))
      clock.pass(seconds)
      await new Promise((resolve) => setTimeout(resolve, 20))
      released.resolve()
      return answer
    },
  }
}

const ends: Record<string, (deployment: Deployment, olivia: SignedIn) => Promise<unknown>> = {
  'all of the operator end': async ({ provider }) => {
    const ended = await provider.impersonation.endAll(
      { actor: 'olivia' },
      { cause: 'user', reason: 'stolen laptop' },
    )
    expect(ended).to.equal(0)
  },
  'all of the client end': async ({ provider }) => {
    const ended = await provider.impersonation.endAll({ client: 'console' }, { cause: 'user' })
    expect(ended).to.equal(0)
  },
  'the operator signs out': async ({ provider }, { access_token }) => {
    const token = await provider.AccessToken.find(access_token)
    await (await provider.Grant.find(String(token?.grantId)))?.destroy()
  },
}

describe('I14: an exchange that looked at the operator before the end', () => {
  for (const [what, end] of Object.entries(ends)) {
    it(`and redeems 5 s after it, where ${what}: what it got ends 10 s after the end`, async () => {
      using clock = stoppedClock()
      const { deployment, ended, olivia, exchangeHeld } = await holding(clock)
      const { status, body } = await exchangeHeld(5, () => end(deployment, olivia))
      expect(status).to.equal(200)
      expect((await only(deployment)).state).to.equal('active')
      clock.pass(5)
      const object = await until(
        () => only(deployment),
        ({ state }) => state === 'ended',
      )
      expect(object.end?.cause).to.be.oneOf(['user', 'operator_signed_out'])
      expect(await isActive(deployment, body.access_token)).to.equal(false)
      expect(ended.map(({ userId }) => userId)).to.deep.equal(['alice'])
      await deployment.close()
    })

    it(`and redeems 11 s after it, where ${what}: nothing is issued, and it ends`, async () => {
      using clock = stoppedClock()
      const { deployment, ended, recorded, olivia, exchangeHeld } = await holding(clock)
      const { status, body } = await exchangeHeld(11, () => end(deployment, olivia))
      expect([status, body.error]).to.deep.equal([500, 'server_error'])
      expect(body).to.not.have.property('access_token')
      const object = await until(
        () => only(deployment),
        ({ state }) => state === 'ended',
      )
      expect(object.end).to.include({ cause: 'policy', reason: 'redeemed, and nothing was issued' })
      await until(
        async () => ended.length,
        (events) => events > 0,
      )
      const denied = (await recorded()).find(({ name }) => name === 'impersonation.denied')
      expect(denied?.denial?.reason).to.match(/the storage took too long: more than 8 seconds/)
      await deployment.close()
    })
  }

  it('I11: and whose subject token expires while it is redeemed: nothing is issued, and it ends', async () => {
    using clock = stoppedClock()
    const { deployment, exchangeHeld } = await holding(clock)
    const endAll = async () => {
      clock.pass(7)
      // It finds a subject token that has expired, and ends nothing.
      expect(await deployment.provider.impersonation.endAll({ userId: 'alice' })).to.equal(0)
    }
    const { status, body } = await exchangeHeld(0, endAll, { expiresIn: 1 })
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    await until(
      () => only(deployment),
      ({ state }) => state === 'ended',
    )
    await deployment.close()
  })

  it('and is slow before the redemption: nothing is issued, and the subject token stays usable', async () => {
    using clock = stoppedClock()
    const { deployment } = await endings({
      configuration: {
        findAccount: (_ctx, sub) => {
          if (sub === 'alice') clock.pass(slow)
          return { accountId: sub, claims: () => ({ sub }) }
        },
      },
    })
    let slow = 0
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    slow = 9
    const late = await deployment.exchange({ subject_token, actor_token })
    expect([late.status, late.body.error]).to.deep.equal([500, 'server_error'])
    slow = 7
    expect((await deployment.exchange({ subject_token, actor_token })).status).to.equal(200)
    await deployment.close()
  })

  it('what is issued more than 5 s after the end of all of an operator goes on', async () => {
    using clock = stoppedClock()
    const { deployment } = await endings()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    expect(await deployment.provider.impersonation.endAll({ actor: 'olivia' })).to.equal(0)
    clock.pass(6)
    const subject_token = await deployment.subjectToken()
    expect((await deployment.exchange({ subject_token, actor_token })).status).to.equal(200)
    clock.pass(5)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect((await only(deployment)).state).to.equal('active')
    await deployment.close()
  })
})
