import { expect } from 'chai'
import { type AuthorizationRequest, type IssueOptions, UserNotFound } from '../../src/index.ts'
import type { ImpersonationOptions } from '../../src/public/options.ts'
import { type Deployment, deploy } from '../support/deployment.ts'

const AS: IssueOptions = { as: 'backend' }
const ASKED = {
  userId: 'alice',
  mayAct: { sub: 'olivia', clientId: 'web' },
  context: { ticketId: 'SUP-1' },
}

describe('provider.impersonation.preview(request, { as })', () => {
  let deployment: Deployment
  let questions: AuthorizationRequest[]

  async function start(options: Partial<ImpersonationOptions> = {}) {
    questions = []
    deployment = await deploy({ impersonation: options })
    return deployment.provider.impersonation
  }
  afterEach(() => deployment.close())

  const answering =
    (verdict: ReturnType<NonNullable<ImpersonationOptions['authorize']>>) =>
    (question: AuthorizationRequest) => {
      questions.push(question)
      return verdict
    }

  it('says what the rule says', async () => {
    for (const [verdict, preview] of [
      [true, { verdict: 'allowed' }],
      [
        { accessTokenTtl: 60, permit: 'p1' },
        { verdict: 'allowed', accessTokenTtl: 60, permit: 'p1' },
      ],
      [false, { verdict: 'refused' }],
      [{ needs: ['user'] as const }, { verdict: 'needs', needs: ['user'] }],
      [
        { needs: ['second_person'] as const, emergency: true },
        { verdict: 'needs', needs: ['second_person'], emergency: true },
      ],
    ] as const) {
      const impersonation = await start({ authorize: answering(verdict) })
      expect(await impersonation.preview(ASKED, AS)).to.deep.equal(preview)
      await deployment.close()
    }
    deployment = await deploy({})
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
    const failureOf = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error) => error,
      )
    const preview = (more: object, how = AS) =>
      failureOf(impersonation.preview({ ...ASKED, ...more }, how))
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
