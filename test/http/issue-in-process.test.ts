import { expect } from 'chai'
import Koa from 'koa'
import {
  type AuthorizationRequest,
  ClientNotNamed,
  errors,
  type IssueOptions,
  NotRecorded,
  type SubjectTokenRequest,
  TooManyRequests,
  UserNotFound,
  type Verdict,
} from '../../src/index.ts'
import type { ImpersonationOptions } from '../../src/public/options.ts'
import { until } from '../impersonations/recorded-endings.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { serving } from '../support/serving.ts'

const AS: IssueOptions = { as: 'backend' }
const ASKED = {
  userId: 'alice',
  mayAct: { sub: 'olivia', clientId: 'web' },
  context: { ticketId: 'SUP-1' },
}

/** Returns the error of an issue, as the answer over HTTP would have it. */
async function thrownBy(issue: Promise<unknown>): Promise<[unknown, number, string, string]> {
  try {
    await issue
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    return [error.constructor, error.statusCode, error.error, String(error.error_description)]
  }
  return expect.fail('it issued')
}

let deployment: Deployment

async function start(options: Partial<ImpersonationOptions> = {}) {
  deployment = await deploy({ impersonation: options })
  return deployment.provider.impersonation
}

describe('provider.impersonation.issue(request, { as })', () => {
  afterEach(() => deployment.close())

  it('issues a subject token that the exchange takes, once, under the id of the object', async () => {
    const impersonation = await start()
    const asked = { userId: 'alice', context: { ticketId: 'SUP-1' }, expiresIn: 60 }
    const { subjectToken, expiresIn, id } = await impersonation.issue(asked, AS)
    expect(expiresIn).to.equal(60)
    const { requestedBy, userId, context } = (await impersonation.get(id)) ?? {}
    expect([requestedBy, userId, context]).to.deep.equal([
      'backend',
      'alice',
      { ticketId: 'SUP-1' },
    ])
    expect((await impersonation.list()).items).to.have.lengthOf(1)
    const statuses = []
    for (let times = 0; times < 2; times += 1) {
      statuses.push((await deployment.exchange({ subject_token: subjectToken })).status)
    }
    expect(statuses).to.deep.equal([200, 400])
  })

  it('binds how long the access token lives: the configuration shortens it, and never lengthens it', async () => {
    const impersonation = await start({ accessToken: { maxTtl: 300 } })
    for (const [accessTokenTtl, lives] of [
      [60, 60],
      [900, 300],
    ] as const) {
      const issued = await impersonation.issue({ userId: 'alice' }, { ...AS, accessTokenTtl })
      const { body } = await deployment.exchange({ subject_token: issued.subjectToken })
      expect(body.expires_in).to.equal(lives)
    }
    for (const accessTokenTtl of [0, -1, 1.5, '60', Number.NaN]) {
      const error = await impersonation
        .issue({ userId: 'alice' }, { ...AS, accessTokenTtl } as never)
        .catch((thrown) => thrown)
      expect(error).to.be.instanceOf(TypeError)
      expect(String(error)).to.include('accessTokenTtl must be a positive integer: seconds')
    }
  })

  it('a client that is not there, is public, or is not named may not, and the event says so', async () => {
    const impersonation = await start({
      managementApi: { clients: ['backend', 'console', 'gone'] },
    })
    for (const as of ['gone', 'console', 'web']) {
      const denied = new Promise<string | undefined>((resolve) =>
        deployment.provider.once('impersonation.denied', (_ctx, event) =>
          resolve(`${event.requestedBy} ${event.denial?.error}`),
        ),
      )
      const [kind] = await thrownBy(impersonation.issue({ userId: 'alice' }, { as }))
      expect(kind, as).to.equal(ClientNotNamed)
      expect(await denied).to.equal(`${as} unauthorized_client`)
    }
    for (const as of [undefined, '', 7]) {
      const error = await impersonation
        .issue({ userId: 'alice' }, { as } as never)
        .catch((thrown) => thrown)
      expect(error).to.be.instanceOf(TypeError)
    }
  })

  it('refuses as over HTTP: with the same status, error and words, in exported classes', async () => {
    const impersonation = await start({
      authorize: ({ context }) => context.ticketId !== 'closed',
      contextSchema: ({ none }) =>
        none ? { issues: [{ message: 'ticketId is missing' }] } : undefined,
    })
    for (const [asked, expected] of [
      [{ userId: 'nobody' }, UserNotFound],
      [{ userId: 'alice', mayact: {} }, errors.InvalidRequest],
      [[], errors.InvalidRequest],
      [{ userId: 'alice', expiresIn: 601 }, errors.InvalidRequest],
      [{ userId: 'alice', context: { none: true } }, errors.InvalidRequest],
      [{ userId: 'alice', context: { ticketId: 'closed' } }, errors.AccessDenied],
    ] as const) {
      const { status, body } = await deployment.issue(asked)
      const thrown = await thrownBy(
        impersonation.issue(asked as unknown as SubjectTokenRequest, AS),
      )
      const told = [expected, status, body.error, body.error_description]
      expect(thrown).to.deep.equal(told)
    }
    expect(await impersonation.list()).to.deep.equal({ items: [] })
  })

  it('asks the rule that requests over HTTP ask, and says when to try again', async () => {
    const impersonation = await start({
      authorize() {
        throw new TooManyRequests(8.5)
      },
    })
    const error = await impersonation.issue({ userId: 'alice' }, AS).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(TooManyRequests)
    expect([error.statusCode, error.retryAfter]).to.deep.equal([429, 9])
    expect((await deployment.issue()).headers.get('retry-after')).to.equal('9')
  })

  it('reads the request once, as JSON has it: what is no JSON is refused', async () => {
    const impersonation = await start()
    const circle: Record<string, unknown> = {}
    circle.self = circle
    for (const context of [circle, { big: 1n }]) {
      const [kind] = await thrownBy(impersonation.issue({ userId: 'alice', context }, AS))
      expect(kind).to.equal(errors.InvalidRequest)
    }
    const context = { at: new Date(0), gone: undefined }
    const issued = impersonation.issue({ userId: 'alice', context, scope: undefined }, AS)
    Object.assign(context, { at: 'changed' })
    await issued
    expect((await impersonation.list()).items[0]?.context).to.deep.equal({
      at: '1970-01-01T00:00:00.000Z',
    })
  })

  it("the policy sees the caller's request; parallel calls of one request do not mix, and its response stays as it is", async () => {
    const seen: string[] = []
    const impersonation = await start({
      async authorize({ account, ctx }) {
        await new Promise(setImmediate)
        seen.push(`${ctx.path} ${account.accountId} ${ctx.oidc.entities.Account?.accountId}`)
        return account.accountId !== 'olivia'
      },
    })
    const app = new Koa()
    app.use(async (ctx) => {
      ctx.set('Location', '/kept')
      ctx.body = 'kept'
      const issue = (userId: string) => impersonation.issue({ userId }, { ...AS, ctx })
      const settled = await Promise.allSettled([issue('alice'), issue('bob'), issue('olivia')])
      seen.push(...settled.map(({ status }) => status), `oidc ${'oidc' in ctx}`)
    })
    await serving(
      () => app.callback(),
      async (base) => {
        const answer = await fetch(`${base}/back-office`)
        const told = [answer.status, await answer.text(), answer.headers.get('location')]
        expect(told).to.deep.equal([200, 'kept', '/kept'])
      },
    )
    expect(seen).to.deep.equal([
      '/back-office alice alice',
      '/back-office bob bob',
      '/back-office olivia olivia',
      'fulfilled',
      'fulfilled',
      'rejected',
      'oidc false',
    ])
  })

  it('I13: what is not recorded throws NotRecorded, and has ended', async () => {
    const impersonation = await start()
    impersonation.recordFirst(() => Promise.reject(new Error('disk full')))
    const [kind, status, code] = await thrownBy(impersonation.issue({ userId: 'alice' }, AS))
    expect([kind, status, code]).to.deep.equal([NotRecorded, 503, 'temporarily_unavailable'])
    const list = () => impersonation.list()
    const { items } = await until(list, (page) => page.items[0]?.state === 'ended')
    expect(items.map(({ end }) => end?.cause)).to.deep.equal(['policy'])
  })
})

describe('provider.impersonation.preview(request, { as })', () => {
  let questions: AuthorizationRequest[]
  beforeEach(() => {
    questions = []
  })
  afterEach(() => deployment.close())

  const answering = (verdict: Verdict) => (question: AuthorizationRequest) => {
    questions.push(question)
    return verdict
  }

  it('says what the rule says', async () => {
    let verdict: Verdict = true
    const impersonation = await start({ authorize: () => verdict })
    const limits = { accessTokenTtl: 60, permit: 'p1' }
    const emergency = { needs: ['second_person'] as const, emergency: true }
    for (const [answer, preview] of [
      [true, { verdict: 'allowed' }],
      [limits, { verdict: 'allowed', ...limits }],
      [false, { verdict: 'refused' }],
      [{ needs: ['user'] }, { verdict: 'needs', needs: ['user'] }],
      [emergency, { verdict: 'needs', ...emergency }],
    ] satisfies [Verdict, object][]) {
      verdict = answer
      expect(await impersonation.preview(ASKED, AS)).to.deep.equal(preview)
    }
  })

  it('asks as an issue does, and says that it is beforehand', async () => {
    const impersonation = await start({ authorize: answering(true) })
    await impersonation.preview(ASKED, AS)
    await impersonation.issue(ASKED, AS)
    const [before, issue] = questions.map(({ ctx: _, client, account, ...question }) => ({
      ...{ ...question, client: client.clientId, account: account.accountId },
    }))
    expect(before).to.deep.equal({ ...issue, isPreview: true })
    expect(issue).not.to.have.property('isPreview')
  })

  it('issues, stores and reports nothing', async () => {
    const impersonation = await start({
      authorize: answering(false),
    })
    const events: string[] = []
    for (const name of ['impersonation.issued', 'impersonation.denied'] as const) {
      deployment.provider.on(name, () => events.push(name))
    }
    await impersonation.preview(ASKED, AS)
    expect([events, (await impersonation.list()).items]).to.deep.equal([[], []])
  })

  it('refuses what an issue refuses before the rule is asked', async () => {
    const impersonation = await start({
      authorize: answering(true),
      contextSchema: ({ ticketId }) => (ticketId ? undefined : { issues: [{ message: 'no' }] }),
    })
    const preview = (more: object, how = AS) =>
      impersonation.preview({ ...ASKED, ...more }, how).catch((error: unknown) => error)
    expect(await preview({ userId: 'nobody' })).to.be.instanceOf(UserNotFound)
    expect(await preview({ context: {} })).to.include({ error: 'invalid_request' })
    expect(await preview({ userId: 1 })).to.include({ error: 'invalid_request' })
    expect(await preview({}, { as: 'web' })).to.include({ error: 'unauthorized_client' })
    expect(await preview({}, { as: '' })).to.be.instanceOf(TypeError)
    expect(questions).to.deep.equal([])
  })

  it('I9: a rule that throws is no answer, whatever it throws', async () => {
    const impersonation = await start({
      authorize() {
        throw new TypeError('out of order')
      },
    })
    const failure = await impersonation.preview(ASKED, AS).catch((error: Error) => error.message)
    expect(failure).to.include('authorize failed at the stage issue')
  })
})
