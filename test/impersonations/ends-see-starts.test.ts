import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { Impersonation, ImpersonationFilter } from '../../src/index.ts'
import { type Deployment, type DeploymentOptions, deploy, idOf } from '../support/deployment.ts'
import { type Around, aroundTokens } from '../support/faulty-adapter.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'
import { type SignedIn, signIn, signOutOfProvider } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { expectActive, expectState, hasEnded, until } from './recorded-endings.ts'

const MARKS = '\u0001marks'

type Memory = ReturnType<typeof createMemoryAdapter>
const marksIn = (memory: Memory) => memory('SubjectToken').list({ accountId: MARKS }, 100)

const passing: Around = (_method, _args, call) => call()

/** Two processes on one store, with something around the calls of each. */
async function twoProcesses({ impersonation, configuration }: DeploymentOptions = {}) {
  const memory = createMemoryAdapter()
  const calls = { one: passing, other: passing }
  const [one, other] = (['one', 'other'] as const).map((name) => {
    const adapter = aroundTokens(memory, (...call) => calls[name](...call))
    return { impersonation, configuration: { ...configuration, adapter } } as DeploymentOptions
  })
  const first = await deploy({
    ...one,
    impersonation: { authorize: () => ({ permit: 'p1' }), ...impersonation },
  })
  const second = await deploy({ ...other }, first)
  opened.push(first, second)
  return { memory, calls, one: first, other: second }
}

/** Deployments that the test has opened, which end with it. */
const opened: Deployment[] = []
afterEach(async () => {
  for (const deployment of opened.splice(0)) await deployment.close()
})

/** Acts as alice, by an opaque token. */
async function acting({ base, exchange }: Deployment, { access_token: actor_token }: SignedIn) {
  return exchange({ actor_token, resource: `${base}/opaque` })
}

/** Places of an exchange when the end comes. */
const MOMENTS = {
  'was checked, and not redeemed': { method: 'consumeOnce', isBefore: true },
  'was redeemed, and has not looked': { method: 'consumeOnce', isBefore: false },
  'has looked, and issued nothing yet': { method: 'list', isBefore: false },
} as const

type End = (other: Deployment, facts: { operator: SignedIn; id: string }) => Promise<unknown>
const grantOf = async ({ provider }: Deployment, { access_token }: SignedIn) =>
  provider.Grant.find(String((await provider.AccessToken.find(access_token))?.grantId))
const signOut: End = ({ base }, { operator }) =>
  signOutOfProvider({ issuer: `${base}/oidc` }, operator)

interface Way {
  readonly end: End
  /** True if it is known before the redemption whom the end is of, so that no mark is needed. */
  readonly isUnmarked?: boolean
  readonly scope?: string
  readonly configuration?: NonNullable<DeploymentOptions['configuration']>
}

const endAll =
  (filter: ImpersonationFilter) =>
  ({ provider }: Deployment) =>
    provider.impersonation.endAll(filter)

const WAYS: Record<string, Way> = {
  'an end of all of the operator': { end: endAll({ actor: 'olivia' }) },
  'an end of all of the client': { end: endAll({ client: 'console' }) },
  'an end of all of the permit': { end: endAll({ permit: 'p1' }) },
  'a destroyed grant': {
    end: async (other, { operator }) => {
      await (await grantOf(other, operator))?.destroy()
      await wait(20)
    },
  },
  'a sign-out': { end: signOut },
  'a sign-out with offline_access': { end: signOut, scope: 'openid offline_access' },
  'a sign-out with a policy that keeps grants': {
    end: signOut,
    configuration: { revokeGrantPolicy: () => false },
  },
  'an end of all of the user': { isUnmarked: true, end: endAll({ userId: 'alice' }) },
  'an end of all of the backend': { isUnmarked: true, end: endAll({ requestedBy: 'backend' }) },
  'an end by id': {
    isUnmarked: true,
    end: ({ provider }, { id }) => provider.impersonation.end(id),
  },
}

describe('I11, I14: an end and an exchange, in two processes: one of the two sees the other', () => {
  for (const [what, { end, isUnmarked, scope = 'openid', configuration = {} }] of Object.entries(
    WAYS,
  )) {
    for (const [when, { method, isBefore }] of Object.entries(MOMENTS)) {
      it(`${what}, where the exchange ${when}`, async () => {
        const { one, other, calls } = await twoProcesses({ configuration })
        const operator = await signIn(one, 'olivia', { scope })
        const subject_token = await one.subjectToken()
        const id = idOf(subject_token)
        const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        calls.one = async (name, args, call) => {
          const isMarks = Object(args[0]).accountId === MARKS
          const isHere = name === method && (method === 'list' ? isMarks : args[1] !== undefined)
          const answer = isHere && isBefore ? undefined : await call()
          if (!isHere) return answer
          reached.resolve()
          await released.promise
          return isBefore ? call() : answer
        }
        const exchange = one.exchange({
          subject_token,
          actor_token: operator.access_token,
          resource: `${one.base}/opaque`,
        })
        await reached.promise
        await end(other, { operator, id })
        released.resolve()
        const isRefused = isUnmarked ? isBefore : method !== 'list'
        const { body } = await (isRefused
          ? expectAnswer(exchange, 400, REFUSED)
          : expectAnswer(exchange, 200))
        const ended = await hasEnded(one)
        expect(ended.end?.cause).to.equal(
          /sign-out|grant/.test(what) ? 'operator_signed_out' : 'requested',
        )
        if (!isRefused) await expectActive(one, body.access_token, false)
      })
    }
  }
})

describe('a mark', () => {
  it('is seen where the process can end nothing itself', async () => {
    const { memory, calls, one, other } = await twoProcesses({
      impersonation: { ending: { enabled: false } },
    })
    const adapter = aroundTokens(memory, passing)
    const ending = await deploy({ adapter }, one)
    opened.push(ending)
    const actor_token = await one.actorToken()
    const subject_token = await one.subjectToken()
    calls.one = async (name, args, call) => {
      if (name === 'consumeOnce' && args[1]) {
        await endAll({ actor: 'olivia' })(ending)
      }
      return call()
    }
    await expectAnswer(one.exchange({ subject_token, actor_token }), 400, REFUSED)
    expect(other.provider.impersonation.canEnd).to.equal(false)
  })

  it('concerns what was issued until 5 s after it, also by a fast clock, and nothing later', async () => {
    using clock = stoppedClock()
    const { one, other } = await twoProcesses()
    const actor_token = await one.actorToken()
    await endAll({ actor: 'olivia' })(other)
    clock.pass(5)
    await expectAnswer(one.exchange({ actor_token }), 400)
    clock.pass(1)
    await expectAnswer(one.exchange({ actor_token }), 200)
  })

  it('is read to the last of 1,050, and hides nothing from lists and pages', async () => {
    const { memory, one, other } = await twoProcesses()
    const alice = await signIn(one, 'alice')
    const actor_token = await one.actorToken()
    await endAll({ actor: 'olivia' })(other)
    for (let marks = 0; marks < 1050; marks += 1) await endAll({ actor: `nobody-${marks}` })(other)
    for (let grants = 0; grants < 40; grants += 1) {
      await new other.provider.Grant({ accountId: 'alice', clientId: 'console' }).save()
    }
    await (await grantOf(one, alice))?.destroy()
    await expectAnswer(one.exchange({ actor_token }), 400, REFUSED)
    await expectAnswer(one.exchange(), 200)
    expect(await marksIn(memory)).to.have.length(100)
    const shown: Impersonation[] = []
    for (let cursor: string | undefined; ; ) {
      const { items, next } = await one.provider.impersonation.list({
        ...{ state: 'active', limit: 1 },
        cursor,
      })
      shown.push(...items)
      cursor = next
      if (cursor === undefined) break
    }
    expect(shown.map(({ userId }) => userId)).to.deep.equal(['alice'])
    const [mark] = await marksIn(memory)
    expect(await one.provider.impersonation.get(String(mark?.jti))).to.equal(undefined)
  })

  it('of another issuer, and one that cannot be read, concerns nothing', async () => {
    const { memory, one } = await twoProcesses()
    const actor_token = await one.actorToken()
    const until = Math.floor(Date.now() / 1000) + 60
    const mark = { filter: { actor: 'olivia' }, how: {}, until }
    const contents = { '[': one.issuer, [JSON.stringify(mark)]: 'https://elsewhere.example' }
    for (const [content, iss] of Object.entries(contents)) {
      const record = { jti: `mark:${iss}`, iat: until, iss, accountId: MARKS, mark: content }
      await memory('SubjectToken').upsert(record.jti, record, 60)
    }
    await expectAnswer(one.exchange({ actor_token }), 200)
  })

  it('that the storage does not take: all that can be ended has ended, and the caller learns of it', async () => {
    const { calls, one, other } = await twoProcesses()
    await one.exchange()
    calls.other = (name, args, call) =>
      name === 'upsert' && String(args[0]).startsWith('mark:')
        ? Promise.reject(new Error('full'))
        : call()
    const end = endAll({ client: 'console' })(other)
    expect(await end.then(String, ({ message }: Error) => message)).to.equal('full')
    await expectState(one, 'ended')
  })

  it('is stored once for a sign-out, however often its end fails', async () => {
    const { memory, calls, one, other } = await twoProcesses()
    const operator = await signIn(one, 'olivia')
    await acting(one, operator)
    let attempts = 0
    calls.other = (name, _args, call) => {
      if (name !== 'endOnce') return call()
      attempts += 1
      return attempts <= 6 ? Promise.reject(new Error('down')) : call()
    }
    await signOut(other, { operator, id: '' })
    const ended = await hasEnded(one)
    expect([ended.state, attempts]).to.deep.equal(['ended', 7])
    const marks = await until(
      () => marksIn(memory),
      ([mark]) => mark?.consumed !== undefined,
    )
    expect(marks).to.have.length(1)
    expect(marks[0]?.consumed, 'done').to.be.a('number')
  })

  it('left behind is looked for once at a time', async () => {
    using clock = stoppedClock()
    const { calls } = await twoProcesses()
    let looks = 0
    calls.one = (name, args, call) => {
      if (name !== 'list' || Object(args[0]).accountId !== MARKS) return call()
      looks += 1
      return new Promise(() => {})
    }
    for (let turn = 0; turn < 5; turn += 1) {
      clock.pass(10)
      await wait(5)
    }
    expect(looks).to.equal(1)
  })

  it('is nothing that an end of one, of a user or of a backend needs', async () => {
    const { memory, one } = await twoProcesses()
    const id = idOf(await one.subjectToken())
    await endAll({ userId: 'alice' })(one)
    await endAll({ requestedBy: 'backend' })(one)
    await one.provider.impersonation.end(id)
    expect(await marksIn(memory)).to.deep.equal([])
  })
})

describe('I11: an end whose process is killed after its mark', () => {
  const ways: Record<string, End> = {
    'by operator': endAll({ actor: 'olivia' }),
    'by client': endAll({ client: 'console' }),
    'by sign-out': signOut,
  }
  for (const [what, end] of Object.entries(ways)) {
    it(`${what} is carried out by another one within 40 s`, async () => {
      using clock = stoppedClock()
      const { memory, calls, one, other } = await twoProcesses()
      const operator = await signIn(one, 'olivia')
      const { body } = await acting(one, operator)
      calls.other = (name, _args, call) =>
        name === 'endOnce' ? Promise.reject(new Error('killed')) : call()
      await end(other, { operator, id: '' }).catch(() => {})
      expect(await marksIn(memory)).to.have.length(1)
      await expectActive(one, body.access_token, true)
      calls.other = () => Promise.reject(new Error('killed'))
      for (let seconds = 0; seconds < 40; seconds += 1) {
        clock.pass(1)
        await wait(3)
      }
      await expectState(one, 'ended')
      await expectActive(one, body.access_token, false)
      const [mark] = await marksIn(memory)
      expect(mark?.consumed, 'done').to.be.a('number')
    })
  }

  it('is not taken over as long as its process lives, which says how many it ended', async () => {
    using clock = stoppedClock()
    const { calls, one, other } = await twoProcesses()
    for (let count = 0; count < 64; count += 1) {
      await expectAnswer(one.exchange(), 200)
    }
    let byOne = 0
    calls.one = (name, _args, call) => {
      if (name === 'endOnce') byOne += 1
      return call()
    }
    let turn = Promise.resolve()
    calls.other = async (name, _args, call) => {
      if (name === 'endOnce') {
        turn = turn.then(async () => {
          clock.pass(1)
          await wait(2)
        })
        await turn
      }
      return call()
    }
    expect(await endAll({ client: 'console' })(other)).to.equal(64)
    expect(byOne).to.equal(0)
  })
})

describe('I5: an exchange whose look after the redemption fails', () => {
  for (const what of ['the marks', 'the grant'] as const) {
    it(`at ${what}: issues nothing, and its record ends`, async () => {
      const { calls, one } = await twoProcesses()
      const actor_token = await one.actorToken()
      const subject_token = await one.subjectToken()
      const { Grant } = one.provider
      const { find } = Grant
      calls.one = async (name, args, call) => {
        const isMarks = Object(args[0]).accountId === MARKS
        if (what === 'the marks' && name === 'list' && isMarks) throw new Error('down')
        const answer = await call()
        if (what === 'the grant' && name === 'consumeOnce') {
          Object.assign(Grant, { find: () => Promise.reject(new Error('down')) })
        }
        return answer
      }
      await expectAnswer(one.exchange({ subject_token, actor_token }), 500, 'server_error')
      Object.assign(Grant, { find })
      const { end } = await hasEnded(one)
      expect(end?.reason).to.equal('redeemed, and nothing was issued')
    })
  }

  it('because the storage never answers: issues nothing, and holds up no other exchange', async () => {
    const { calls, one } = await twoProcesses()
    const looking = Promise.withResolvers<void>()
    let isNext = false
    calls.one = (name, _args, call) => {
      const hangs = isNext && name === 'list'
      isNext = name === 'consumeOnce'
      if (!hangs) return call()
      looking.resolve()
      return new Promise(() => {})
    }
    const subject_token = await one.subjectToken()
    const hanging = one.exchange({ subject_token }).catch(() => 'no answer')
    await looking.promise
    calls.one = passing
    await expectAnswer(one.exchange(), 200)
    await one.expectWorthless(subject_token)
    await one.close()
    expect(await hanging).to.equal('no answer')
  })

  it('is not needed by a subject token that expires between redemption and look: nothing is issued', async () => {
    using clock = stoppedClock()
    const { calls, one, other } = await twoProcesses()
    const ended: number[] = []
    let isRedeemed = false
    calls.one = async (name, args, call) => {
      const answer = await call()
      isRedeemed ||= name === 'consumeOnce' && args[1] !== undefined
      if (isRedeemed && name === 'list' && ended.length === 0) {
        clock.pass(9)
        ended.push(await endAll({ requestedBy: 'elsewhere' })(other))
      }
      return answer
    }
    const subject_token = await one.subjectToken({ expiresIn: 3 })
    await one.expectWorthless(subject_token)
    expect(ended).to.deep.equal([0])
  })
})

describe('I12: a sign-out costs the storage of subject tokens', () => {
  /** The calls of a sign-out of somebody who signed in at three clients. */
  async function costOf(scope: string, configuration: DeploymentOptions['configuration'] = {}) {
    const { calls, one } = await twoProcesses({ configuration })
    const person = await signIn(one, 'alice', { scope })
    const clients = ['plain', 'console', 'web']
    for (const clientId of clients) {
      const grant = new one.provider.Grant({ accountId: 'alice', clientId })
      grant.addOIDCScope(scope)
      const grantId = await grant.save()
      const session = await one.provider.Session.find(
        String(/_session=([^;]+)/.exec(person.cookie)?.[1]),
      )
      if (!session) throw new Error('no session')
      session.authorizations = { ...session.authorizations, [clientId]: { grantId } }
      await session.persist()
    }
    const asked: string[] = []
    calls.one = (name, _args, call) => {
      asked.push(name)
      return call()
    }
    await signOutOfProvider(one, person)
    await wait(30)
    return asked
  }

  it('one list, however many grants it destroys, of who never operated', async () => {
    expect(await costOf('openid')).to.deep.equal(['list'])
  })

  it('one mark more where a grant outlives it', async () => {
    expect(await costOf('openid', { revokeGrantPolicy: () => false })).to.deep.equal([
      'upsert',
      'list',
    ])
  })

  it('and no page of an exchange of somebody else', async () => {
    const { calls, one } = await twoProcesses()
    const { access_token: actor_token } = await signIn(one, 'olivia', {
      scope: 'openid offline_access',
    })
    for (const person of ['alice', 'bob']) {
      const signedIn = await signIn(one, person, { scope: 'openid offline_access' })
      await signOutOfProvider(one, signedIn)
    }
    const asked: unknown[] = []
    calls.one = async (name, _args, call) => {
      const answer = await call()
      if (name === 'list') asked.push(Object(answer).length)
      return answer
    }
    await expectAnswer(one.exchange({ actor_token }), 200)
    expect(asked, 'the common marks, and those of olivia').to.deep.equal([0, 0])
  })

  it('nothing that could hold it up: the storage fails, and what runs ends once it is back', async () => {
    const { calls, one } = await twoProcesses()
    const operator = await signIn(one, 'olivia')
    const { body } = await acting(one, operator)
    calls.one = () => Promise.reject(new Error('down'))
    await signOutOfProvider(one, operator)
    expect(await grantOf(one, operator)).to.equal(undefined)
    calls.one = passing
    await hasEnded(one)
    await expectActive(one, body.access_token, false)
  })
})
