import { request } from 'node:http'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import type { RecordEvent, RecordedEventName } from '../../src/index.ts'
import { withMembers } from '../adapters/with-members.ts'
import { isActive, until } from '../impersonations/recorded-endings.ts'
import type { DeploymentOptions } from '../support/deployment.ts'
import { bearer, end, impersonate } from '../support/ending-current.ts'
import { askUndescribed } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'

const SOON = { timeout: 0.02 }
const DOORS = ['by its token', 'by its id', 'by a filter', 'in code', 'in code, by a filter']

/** Holds the events of these names until they are released; the others are recorded at once. */
function holding(...names: RecordedEventName[]) {
  const held: { name: RecordedEventName; id: string | undefined; release: () => void }[] = []
  const came = Promise.withResolvers<void>()
  const record: RecordEvent = (name, { id }) => {
    if (!names.includes(name)) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    held.push({ name, id, release: resolve })
    came.resolve()
    return promise
  }
  return { record, held, came: came.promise }
}

/** Resolves the answer, and whether it came before the event was released. */
async function answered<T>(
  deployment: Managed,
  { held, came }: ReturnType<typeof holding>,
  asked: Promise<T>,
): Promise<{ answer: T; wasEarly: boolean }> {
  let isAnswered = false
  void asked.then(() => {
    isAnswered = true
  })
  await came
  // Another request, from first to last: the answer would have come meanwhile.
  await fetch(`${deployment.issuer}/jwks`)
  const wasEarly = isAnswered
  for (const { release } of held) release()
  return { answer: await asked, wasEarly }
}

function endBy(door: string, deployment: Managed, { id, token }: { id: string; token: string }) {
  const { impersonation } = deployment.provider
  const ways: Record<string, () => Promise<unknown>> = {
    'by its token': () => end(deployment.base, bearer(token)),
    'by its id': () => deployment.send(`/${id}/end`),
    'by a filter': () => deployment.send('/end', { userId: 'alice' }),
    'in code': () => impersonation.end(id),
    'in code, by a filter': () => impersonation.endAll({ userId: 'alice' }),
  }
  return ways[door]?.() ?? expect.fail(door)
}

/** Waits until there are so many. */
const counted = (list: readonly unknown[], count: number) =>
  until(
    async () => list.length,
    (length) => length === count,
  )

const stateOf = async ({ provider }: Managed, id: string) =>
  (await provider.impersonation.get(id))?.state

describe('I13: nothing acts before it is recorded', () => {
  let deployment: Managed

  async function deployWith(record: RecordEvent, how = {}, options: DeploymentOptions = {}) {
    deployment = await managing(options)
    deployment.provider.impersonation.recordFirst(record, how)
  }
  afterEach(() => deployment.close())

  it('an issue is answered when it is recorded, and not before', async () => {
    const hold = holding('impersonation.issued')
    await deployWith(hold.record)
    const issue = deployment.issue({ userId: 'alice' }, { token: deployment.token })
    const { answer, wasEarly } = await answered(deployment, hold, issue)
    expect([wasEarly, answer.status]).to.deep.equal([false, 201])
    expect(hold.held[0]?.id).to.equal(answer.headers.get('location')?.split('/').at(-1))
  })

  it('an exchange is answered when it is recorded, and not before', async () => {
    const hold = holding('impersonation.started')
    await deployWith(hold.record)
    const { id, subjectToken } = await deployment.start()
    const exchange = deployment.exchange({ subject_token: subjectToken })
    const { answer, wasEarly } = await answered(deployment, hold, exchange)
    expect([wasEarly, answer.status, hold.held[0]?.id]).to.deep.equal([false, 200, id])
  })

  it('listeners run when it is recorded, and after the answer', async () => {
    const hold = holding('impersonation.issued', 'impersonation.started')
    await deployWith(hold.record)
    const { provider, token } = deployment
    const heard: string[] = []
    for (const name of ['impersonation.issued', 'impersonation.started'] as const) {
      provider.on(name, (ctx) => heard.push(`${name} ${ctx?.res.writableEnded}`))
    }
    const issue = deployment.issue({ userId: 'alice' }, { token })
    await hold.came
    await fetch(`${deployment.issuer}/jwks`)
    expect(heard).to.deep.equal([])
    hold.held.at(-1)?.release()
    const { body } = await issue
    const exchange = deployment.exchange({ subject_token: body.subjectToken })
    await counted(hold.held, 2)
    expect(heard).to.deep.equal(['impersonation.issued true'])
    hold.held.at(-1)?.release()
    await exchange
    await counted(heard, 2)
    expect(heard.at(-1)).to.equal('impersonation.started true')
  })

  it('listeners hear of an end when it is recorded, or could not be', async () => {
    const hold = holding('impersonation.ended')
    let isDown = false
    await deployWith(async (name, event) => {
      if (isDown) throw new Error('the audit is down')
      await hold.record(name, event)
    })
    const { impersonation } = deployment.provider
    const [first, second] = [await deployment.start(), await deployment.start()]
    const heard: (string | undefined)[] = []
    deployment.provider.on('impersonation.ended', (_ctx, event) => heard.push(event.id))
    const end = impersonation.end(first.id)
    await hold.came
    await new Promise((resolve) => setImmediate(resolve))
    expect(heard).to.deep.equal([])
    hold.held[0]?.release()
    await end
    await counted(heard, 1)
    isDown = true
    await impersonation.end(second.id)
    await counted(heard, 2)
    expect(heard).to.deep.equal([first.id, second.id])
  })

  it('listeners never hear of what was answered by 503: it never began', async () => {
    let failing: RecordedEventName = 'impersonation.issued'
    await deployWith(async (name) => {
      if (name === failing) throw new Error('disk full')
    })
    const { provider, token } = deployment
    const heard: string[] = []
    for (const name of [
      'impersonation.issued',
      'impersonation.started',
      'impersonation.ended',
    ] as const) {
      provider.on(name, () => heard.push(name))
    }
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(503)
    await counted(heard, 1)
    failing = 'impersonation.started'
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    expect((await deployment.exchange({ subject_token: body.subjectToken })).status).to.equal(503)
    await counted(heard, 3)
    expect(heard).to.deep.equal([
      'impersonation.ended',
      'impersonation.issued',
      'impersonation.ended',
    ])
  })

  const failing: [how: string, record: () => Promise<unknown>][] = [
    ['never answers', () => new Promise(() => {})],
    ['rejects', () => Promise.reject(new Error('disk full'))],
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
  ]
  for (const [how, fail] of failing) {
    const failAt =
      (at: RecordedEventName): RecordEvent =>
      async (name) =>
        name === at && fail()

    it(`an issue whose recorder ${how} is 503, and its subject token redeems nothing`, async () => {
      await deployWith(failAt('impersonation.issued'), SOON)
      const { status, body, headers } = await deployment.issue(
        { userId: 'alice' },
        { token: deployment.token },
      )
      expect([status, Object.keys(body), body.error]).to.deep.equal([
        503,
        ['error', 'error_description'],
        'temporarily_unavailable',
      ])
      expect([headers.get('location'), headers.get('cache-control')]).to.deep.equal([
        null,
        'no-store',
      ])
      const list = () => deployment.provider.impersonation.list()
      const { items } = await until(list, (page) => page.items[0]?.state === 'ended')
      expect(items.map(({ state, end: how }) => [state, how?.cause])).to.deep.equal([
        ['ended', 'policy'],
      ])
    })

    it(`an exchange whose recorder ${how} shows no token, also where renderError sets no body`, async () => {
      await deployWith(failAt('impersonation.started'), SOON, {
        configuration: { renderError: () => {} },
      })
      const { subjectToken: subject_token } = await deployment.start()
      const answer = await askUndescribed(() =>
        deployment.exchange({ subject_token }, { accept: 'text/html' }),
      )
      expect(answer.status).to.equal(503)
      expect(JSON.stringify(answer.body)).to.not.include('access_token')
    })

    for (const format of ['jwt', 'opaque']) {
      it(`an exchange whose recorder ${how} is 503, and its ${format} token has ended`, async () => {
        await deployWith(failAt('impersonation.started'), SOON)
        let opaque = ''
        deployment.provider.on('access_token.saved', ({ jti }) => {
          opaque = jti
        })
        const { id, subjectToken } = await deployment.start()
        const target = format === 'jwt' ? {} : { resource: `${deployment.base}/opaque` }
        const { status, body, headers } = await deployment.exchange({
          subject_token: subjectToken,
          ...target,
        })
        expect([status, Object.keys(body), body.error]).to.deep.equal([
          503,
          ['error', 'error_description'],
          'temporarily_unavailable',
        ])
        // A client that tries again by itself would present a token that was redeemed.
        expect(headers.get('retry-after')).to.equal(null)
        await until(
          () => stateOf(deployment, id),
          (state) => state === 'ended',
        )
        expect(await stateOf(deployment, id)).to.equal('ended')
        if (format === 'opaque') expect(await isActive(deployment, opaque)).to.equal(false)
        const names = (await deployment.events(2)).map(({ name }) => name)
        expect(names).to.deep.equal(['impersonation.issued', 'impersonation.ended'])
      })
    }

    for (const door of DOORS) {
      it(`an end ${door} is carried out, and answered as one, whose recorder ${how}`, async () => {
        await deployWith(failAt('impersonation.ended'), SOON)
        const one = await impersonate(deployment)
        const answer = await endBy(door, deployment, one)
        expect(await stateOf(deployment, one.id)).to.equal('ended')
        if (typeof answer !== 'object' || !answer || !('headers' in answer)) return
        expect(Reflect.get(answer, 'status')).to.be.oneOf([200, 204])
      })
    }
  }

  for (const door of DOORS) {
    it(`an end ${door} comes at once, and its answer when it is recorded`, async () => {
      const hold = holding('impersonation.ended')
      await deployWith(hold.record)
      const one = await impersonate(deployment)
      const asked = endBy(door, deployment, one)
      await hold.came
      expect(await stateOf(deployment, one.id)).to.equal('ended')
      expect((await answered(deployment, hold, asked)).wasEarly).to.equal(false)
      expect(hold.held.map(({ id }) => id)).to.deep.equal([one.id])
    })
  }

  it('what is not recorded is ended also where the storage fails at first', async () => {
    const memory = createMemoryAdapter()
    let failures = 2
    const adapter = (model: string) => {
      const plain = memory(model)
      return withMembers(plain, {
        async endOnce(id: string, how: object) {
          failures -= 1
          if (failures >= 0) throw new Error('the storage is away')
          return Reflect.apply(Reflect.get(plain, 'endOnce'), plain, [id, how])
        },
      })
    }
    const record: RecordEvent = async (name) => {
      if (name === 'impersonation.started') throw new Error('disk full')
    }
    await deployWith(record, SOON, { configuration: { adapter } })
    const { id, subjectToken } = await deployment.start()
    expect((await deployment.exchange({ subject_token: subjectToken })).status).to.equal(503)
    const state = await until(
      () => stateOf(deployment, id),
      (found) => found === 'ended',
    )
    expect(state).to.equal('ended')
  })

  it('each of several recorders has to have it, and none is asked what is refused', async () => {
    const names: string[] = []
    await deployWith(async (name) => {
      names.push(name)
    })
    let isBroken = false
    deployment.provider.impersonation.recordFirst(async () => {
      if (isBroken) throw new Error('disk full')
    })
    const { subjectToken } = await deployment.start()
    expect((await deployment.exchange({ subject_token: 'x' })).status).to.equal(400)
    isBroken = true
    expect((await deployment.exchange({ subject_token: subjectToken })).status).to.equal(503)
    const [, started] = names
    expect([names[0], started]).to.deep.equal(['impersonation.issued', 'impersonation.started'])
  })

  it('an exchange whose client went away is recorded all the same', async () => {
    const hold = holding('impersonation.started')
    await deployWith(hold.record)
    const { id, subjectToken } = await deployment.start()
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: 'console',
      subject_token: subjectToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: deployment.orders,
      scope: 'orders:read',
    }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(`${deployment.issuer}/token`, { method: 'POST', headers })
    sent.on('error', () => {})
    sent.end(form)
    await hold.came
    sent.destroy()
    for (const { release } of hold.held) release()
    expect(hold.held[0]?.id).to.equal(id)
    expect(await stateOf(deployment, id)).to.equal('active')
  })

  it('recordFirst refuses what cannot be held', async () => {
    deployment = await managing({ impersonation: { ending: { enabled: false } } })
    const { impersonation } = deployment.provider
    const record = async () => {}
    expect(() => impersonation.recordFirst(record)).to.throw(TypeError, 'can be ended')
    for (const timeout of [0, -1, 31, Number.NaN, '2']) {
      const options = { timeout } as { timeout: number }
      expect(() => impersonation.recordFirst(record, options)).to.throw(TypeError, 'timeout')
    }
    const none = undefined as unknown as RecordEvent
    expect(() => impersonation.recordFirst(none)).to.throw(TypeError, 'recordFirst.record is')
    const unknown = { timeoutMs: 2 } as object
    expect(() => impersonation.recordFirst(record, unknown)).to.throw(TypeError, 'timeoutMs is not')
  })
})
