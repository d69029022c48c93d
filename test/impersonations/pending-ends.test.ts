import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { ImpersonationEvent } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type SignedIn, signIn } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { only, until } from './recorded-endings.ts'

type Memory = ReturnType<typeof createMemoryAdapter>
type Around = (method: string, args: readonly unknown[], call: () => unknown) => unknown

/** The memory adapter, with something around each call about subject tokens. */
function around(memory: Memory, ask: Around) {
  return (model: string) =>
    new Proxy(memory(model), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const call = () => Reflect.apply(member, target, args)
          return model === 'SubjectToken' ? ask(String(name), args, call) : call()
        }
      },
    })
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 20))
const pendingIn = (memory: Memory) =>
  memory('SubjectToken').list({ accountId: '\u0001pending-ends' }, 100)

/** Two processes on one store: one redeems slowly, and the other one can be killed. */
async function twoProcesses() {
  const memory = createMemoryAdapter()
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = around(memory, async (method, args, call) => {
    if (method === 'consumeOnce' && args[1]) {
      reached.resolve()
      await released.promise
    }
    return call()
  })
  let isKilled = false
  const mortal = around(memory, (_method, _args, call) =>
    isKilled ? Promise.reject(new Error('killed')) : call(),
  )
  const one = await deploy({ configuration: { adapter: slow } })
  const other = await deploy({ configuration: { adapter: mortal } }, one)
  const ended: ImpersonationEvent[] = []
  one.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
  const olivia = await signIn(one, 'olivia')
  return {
    ...{ memory, one, other, olivia, ended, reached, released },
    kill: () => {
      isKilled = true
    },
    exchange: async () =>
      one.exchange({
        subject_token: await one.subjectToken(),
        actor_token: olivia.access_token,
      }),
    close: async () => {
      await one.close()
      await other.close()
    },
  }
}

type End = (other: Deployment, olivia: SignedIn) => Promise<unknown>

const ends: Record<string, End> = {
  'ends all of the operator': ({ provider }) =>
    provider.impersonation.endAll({ actor: 'olivia' }, { reason: 'stolen laptop' }),
  'ends all of the client': ({ provider }) => provider.impersonation.endAll({ client: 'console' }),
  'signs the operator out': async ({ base }, { cookie }) => {
    const answer = await fetch(`${base}/oidc/session/end`, { headers: { cookie } })
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(await answer.text())?.[1] ?? ''
    const cookies = [cookie, ...answer.headers.getSetCookie().map((each) => each.split(';')[0])]
    const confirmed = await fetch(`${base}/oidc/session/end/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookies.join('; ') },
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    })
    expect(confirmed.status).to.equal(303)
  },
  'destroys the grant': async ({ provider }, { access_token }) => {
    const token = await provider.AccessToken.find(access_token)
    await (await provider.Grant.find(String(token?.grantId)))?.destroy()
    await turns()
  },
}

describe('I11: a process that ends what an operator runs, and is killed after its answer', () => {
  for (const [what, end] of Object.entries(ends)) {
    it(`${what}: what an exchange under way got has ended 15 s after the end`, async () => {
      using clock = stoppedClock()
      const { one, other, olivia, ended, reached, released, kill, exchange, close } =
        await twoProcesses()
      const answer = exchange()
      await reached.promise
      await end(other, olivia)
      kill()
      clock.pass(3)
      released.resolve()
      expect((await answer).status).to.equal(200)
      expect((await only(one)).state).to.equal('active')
      for (let seconds = 3; seconds < 15; seconds += 1) {
        clock.pass(1)
        await turns()
      }
      const object = await until(
        () => only(one),
        ({ state }) => state === 'ended',
      )
      expect(object.state).to.equal('ended')
      expect(object.end?.cause).to.be.oneOf(['requested', 'operator_signed_out'])
      if (what === 'ends all of the operator') expect(object.end?.reason).to.equal('stolen laptop')
      await until(
        async () => ended.length,
        (count) => count > 0,
      )
      expect(ended.map(({ userId }) => userId)).to.deep.equal(['alice'])
      await close()
    })
  }
})

describe('a pending end', () => {
  it('is in no list and no page, and is gone after its second pass', async () => {
    using clock = stoppedClock()
    const { memory, one, other, close } = await twoProcesses()
    await one.subjectToken()
    await other.provider.impersonation.endAll({ actor: 'olivia' })
    expect(await pendingIn(memory)).to.have.length(1)
    const { impersonation } = one.provider
    const users: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { items, next } = await impersonation.list({ limit: 1, cursor })
      users.push(...items.map(({ userId }) => userId))
      cursor = next
      if (cursor === undefined) break
    }
    expect(users).to.deep.equal(['alice'])
    const asked = await impersonation.list({ userId: '\u0001pending-ends' }).catch(String)
    expect(asked).to.contain('userId must not contain control characters')
    expect(await impersonation.get(String((await pendingIn(memory))[0]?.jti))).to.equal(undefined)
    clock.pass(10)
    await until(
      () => pendingIn(memory),
      ({ length }) => length === 0,
    )
    expect(await pendingIn(memory)).to.deep.equal([])
    await close()
  })

  it('is stored before the answer leaves that says that the operator is signed out', async () => {
    const memory = createMemoryAdapter()
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = around(memory, async (method, args, call) => {
      if (method === 'upsert' && String(args[0]).startsWith('pending-end')) {
        reached.resolve()
        await released.promise
      }
      return call()
    })
    const deployment = await deploy({ configuration: { adapter: slow } })
    const olivia = await signIn(deployment, 'olivia')
    let isAnswered = false
    const answer = ends['signs the operator out']?.(deployment, olivia).then(() => {
      isAnswered = true
    })
    await reached.promise
    await turns()
    expect(isAnswered).to.equal(false)
    released.resolve()
    await answer
    // The session's end and the grant's are two events.
    expect(await pendingIn(memory)).to.have.length.of.at.least(1)
    await deployment.close()
  })

  it('is nothing that an end of one, or of all of a user, needs', async () => {
    const { memory, one, close } = await twoProcesses()
    await one.subjectToken()
    await one.provider.impersonation.endAll({ userId: 'alice' })
    await one.provider.impersonation.end(String((await only(one)).id))
    expect(await pendingIn(memory)).to.deep.equal([])
    await close()
  })

  it('of another issuer on the same store is left to it', async () => {
    using clock = stoppedClock()
    const memory = createMemoryAdapter()
    const mine = await deploy({ configuration: { adapter: memory } })
    const theirs = await deploy({
      configuration: { adapter: around(memory, (_, __, call) => call()) },
    })
    const record = {
      jti: 'pending-end:x',
      iat: Math.floor(Date.now() / 1000),
      accountId: '\u0001pending-ends',
    }
    const pendingEnd = JSON.stringify({ filter: { actor: 'olivia' }, how: {} })
    await memory('SubjectToken').upsert(
      record.jti,
      { ...record, iss: 'https://elsewhere.example', pendingEnd },
      60,
    )
    for (const seconds of [5, 9]) {
      clock.pass(seconds)
      await turns()
    }
    expect(await pendingIn(memory)).to.have.length(1)
    await mine.close()
    await theirs.close()
  })

  it('that the storage does not take: all that can be ended has ended, and the caller learns of it', async () => {
    const memory = createMemoryAdapter()
    const full = around(memory, (method, args, call) =>
      method === 'upsert' && String(args[0]).startsWith('pending-end')
        ? Promise.reject(new Error('full'))
        : call(),
    )
    const deployment = await deploy({ configuration: { adapter: full } })
    expect(
      (await deployment.exchange({ subject_token: await deployment.subjectToken() })).status,
    ).to.equal(200)
    const end = deployment.provider.impersonation.endAll({ client: 'console' })
    expect(await end.then(String, ({ message }: Error) => message)).to.equal('full')
    expect((await only(deployment)).state).to.equal('ended')
    await deployment.close()
  })
})
