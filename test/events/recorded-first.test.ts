import { request } from 'node:http'
import { expect } from 'chai'
import {
  ACCESS_TOKEN_TYPE,
  type RecordEvent,
  type RecordedEventName,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../../src/index.ts'
import { counted, expectActive, until } from '../impersonations/recorded-endings.ts'
import type { DeploymentOptions } from '../support/deployment.ts'
import { askUndescribed, expectAnswer, urlencoded } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'

const SOON = { timeout: 0.02 }

type Running = { readonly id: string; readonly token: string }
/** Ways to end one impersonation. */
const DOORS: Record<string, (deployment: Managed, one: Running) => Promise<unknown>> = {
  'by its token': ({ endCurrent }, { token }) => endCurrent(token),
  'by its id': ({ send }, { id }) => send(`/${id}/end`),
  'by a filter': ({ send }) => send('/end', { userId: 'alice' }),
  'in code': ({ provider }, { id }) => provider.impersonation.end(id),
  'in code, by a filter': ({ endAll }) => endAll(),
}

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

const stateOf = async ({ provider }: Managed, id: string) =>
  (await provider.impersonation.get(id))?.state

describe('I13: nothing acts before it is recorded', () => {
  let deployment: Managed

  async function deployWith(record: RecordEvent, how = {}, options: DeploymentOptions = {}) {
    deployment = await managing(options)
    deployment.provider.impersonation.recordFirst(record, how)
  }
  afterEach(() => deployment.close())

  /** Collects the events of listeners, and whether the answer had left then. */
  function hearing(): string[] {
    const heard: string[] = []
    const names = ['impersonation.issued', 'impersonation.started', 'impersonation.ended'] as const
    for (const name of names) {
      deployment.provider.on(name, (ctx) => heard.push(`${name} ${ctx?.res.writableEnded}`))
    }
    return heard
  }

  it('an issue is answered when it is recorded, and not before', async () => {
    const hold = holding('impersonation.issued')
    await deployWith(hold.record)
    const issue = deployment.issueBy(deployment.token)
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

  it('listeners hear of it when it is recorded, and after the answer', async () => {
    const hold = holding('impersonation.issued', 'impersonation.started', 'impersonation.ended')
    await deployWith(hold.record)
    const { provider, token } = deployment
    const heard = hearing()
    const quiet = async <T>(asked: Promise<T>, count: number): Promise<T> => {
      await counted(hold.held, count)
      await fetch(`${deployment.issuer}/jwks`)
      expect(heard).to.have.length(count - 1)
      hold.held.at(-1)?.release()
      const answer = await asked
      await counted(heard, count)
      return answer
    }
    const { body } = await quiet(deployment.issueBy(token), 1)
    await quiet(deployment.exchange({ subject_token: body.subjectToken }), 2)
    await quiet(provider.impersonation.end(hold.held[0]?.id ?? ''), 3)
    expect(heard).to.deep.equal([
      'impersonation.issued true',
      'impersonation.started true',
      'impersonation.ended undefined',
    ])
  })

  it('listeners never hear of what was answered by 503: it never began; its end is told, also when it cannot be recorded', async () => {
    let failing: RecordedEventName = 'impersonation.issued'
    await deployWith(async (name) => {
      if (name === failing || name === 'impersonation.ended') throw new Error('disk full')
    })
    const { token } = deployment
    const heard = hearing()
    await expectAnswer(deployment.issueBy(token), 503)
    await counted(heard, 1)
    failing = 'impersonation.started'
    const { body } = await deployment.issueBy(token)
    await expectAnswer(deployment.exchange({ subject_token: body.subjectToken }), 503)
    await counted(heard, 3)
    expect(heard.map((each) => each.split(' ')[0])).to.deep.equal([
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
      const asked = deployment.issueBy(deployment.token)
      const { headers } = await expectAnswer(asked, 503, 'temporarily_unavailable')
      const sent = ['location', 'cache-control'].map((name) => headers.get(name))
      expect(sent).to.deep.equal([null, 'no-store'])
      const list = () => deployment.provider.impersonation.list()
      const { items } = await until(list, (page) => page.items[0]?.state === 'ended')
      const ends = items.map(({ state, end: how }) => [state, how?.cause])
      expect(ends).to.deep.equal([['ended', 'policy']])
    })

    for (const format of ['jwt', 'opaque']) {
      it(`an exchange whose recorder ${how} is 503, and its ${format} token has ended`, async () => {
        await deployWith(failAt('impersonation.started'), SOON)
        let opaque = ''
        deployment.provider.on('access_token.saved', ({ jti }) => {
          opaque = jti
        })
        const { id, subjectToken: subject_token } = await deployment.start()
        const target = format === 'jwt' ? {} : { resource: `${deployment.base}/opaque` }
        const asked = deployment.exchange({ subject_token, ...target })
        const { body, headers } = await expectAnswer(asked, 503, 'temporarily_unavailable')
        expect(Object.keys(body)).to.deep.equal(['error', 'error_description'])
        // A client that tries again by itself would present a token that was redeemed.
        expect(headers.get('retry-after')).to.equal(null)
        const state = await until(
          () => stateOf(deployment, id),
          (found) => found === 'ended',
        )
        expect(state).to.equal('ended')
        if (format === 'opaque') await expectActive(deployment, opaque, false)
        const names = (await deployment.events(2)).map(({ name }) => name)
        expect(names).to.deep.equal(['impersonation.issued', 'impersonation.ended'])
      })
    }

    for (const [door, end] of Object.entries(DOORS)) {
      it(`an end ${door} is carried out, and answered as one, whose recorder ${how}`, async () => {
        await deployWith(failAt('impersonation.ended'), SOON)
        const one = await deployment.impersonate()
        const answer = await end(deployment, one)
        expect(await stateOf(deployment, one.id)).to.equal('ended')
        if (typeof answer !== 'object' || !answer || !('headers' in answer)) return
        expect(Reflect.get(answer, 'status')).to.be.oneOf([200, 204])
      })
    }
  }

  for (const [door, end] of Object.entries(DOORS)) {
    it(`an end ${door} comes at once, and its answer when it is recorded`, async () => {
      const hold = holding('impersonation.ended')
      await deployWith(hold.record)
      const one = await deployment.impersonate()
      const asked = end(deployment, one)
      await hold.came
      expect(await stateOf(deployment, one.id)).to.equal('ended')
      expect((await answered(deployment, hold, asked)).wasEarly).to.equal(false)
      expect(hold.held.map(({ id }) => id)).to.deep.equal([one.id])
    })
  }

  it('an exchange that is not recorded shows no token, also where renderError sets no body', async () => {
    const record: RecordEvent = async (name) => {
      if (name === 'impersonation.started') throw new Error('disk full')
    }
    await deployWith(record, SOON, { configuration: { renderError: () => {} } })
    const { subjectToken: subject_token } = await deployment.start()
    const headers = { accept: 'text/html' }
    const asked = askUndescribed(() => deployment.exchange({ subject_token }, headers))
    const { body } = await expectAnswer(asked, 503)
    expect(JSON.stringify(body)).to.not.include('access_token')
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
    await expectAnswer(deployment.exchange({ subject_token: 'x' }), 400)
    isBroken = true
    await expectAnswer(deployment.exchange({ subject_token: subjectToken }), 503)
    expect(names.slice(0, 2)).to.deep.equal(['impersonation.issued', 'impersonation.started'])
  })

  it('an exchange whose client went away is recorded all the same', async () => {
    const hold = holding('impersonation.started')
    await deployWith(hold.record)
    const { id, subjectToken } = await deployment.start()
    const form = urlencoded({
      grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
      client_id: 'console',
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN_TYPE,
      resource: deployment.orders,
      scope: 'orders:read',
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(`${deployment.issuer}/token`, { method: 'POST', headers })
    sent.on('error', () => {})
    sent.end(String(form))
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
