import { expect } from 'chai'
import {
  type AuthorizationRequest,
  type IssueOptions,
  UserNotFound,
  type Verdict,
} from '../../src/index.ts'
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
