import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Authorize, Verdict } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'

/** A rule that answers as it is set, at each stage. */
function settable() {
  const answers: Record<'exchange' | 'issue', Verdict> = { issue: true, exchange: true }
  const authorize: Authorize = ({ stage }) => answers[stage]
  return { answers, authorize }
}

const NEEDS = { needs: ['user', 'second_person'] } as const satisfies Verdict

describe('what needs an approval is not issued without one', () => {
  it('issue: 403 approval_required says by whom, nothing is stored, and the event says so', async () => {
    const { answers, authorize } = settable()
    await using deployment = await recording({ impersonation: { authorize } })
    answers.issue = NEEDS
    await expectAnswer(deployment.issue(), 403, {
      error: 'approval_required',
      error_description: 'needs the approval of a second person and of the user',
      approval: { by: ['second_person', 'user'] },
    })
    expect((await deployment.provider.impersonation.list()).items).to.deep.equal([])
    const [denied] = await deployment.recorded()
    expect(denied).to.include({ name: 'impersonation.denied' })
    expect(denied?.needs).to.deep.equal(['second_person', 'user'])
    expect(denied?.denial).to.include({ stage: 'issue', error: 'approval_required' })
  })

  it('I2, I7: an exchange whose approval is gone is access_denied, and burns nothing', async () => {
    const { answers, authorize } = settable()
    await using deployment = await recording({ impersonation: { authorize } })
    answers.issue = { permit: 'p1' }
    const subject_token = await deployment.subjectToken()
    answers.exchange = { needs: ['user'] }
    await expectAnswer(deployment.exchange({ subject_token }), 400, 'access_denied')
    const denied = (await deployment.recorded()).at(-1)
    expect(denied).to.deep.include({ needs: ['user'], permit: 'p1' })
    answers.exchange = { permit: 'p1' }
    await deployment.redeem(subject_token)
  })

  it('permit and review are in the object and in every event, from the issue to the end', async () => {
    const { answers, authorize } = settable()
    await using deployment = await recording({ impersonation: { authorize } })
    const { provider } = deployment
    const marks = { permit: 'p1', review: 'No lead was reachable' }
    answers.issue = marks
    const ended: object[] = []
    provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
    const subject_token = await deployment.subjectToken()
    const { items } = await provider.impersonation.list({ permit: 'p1' })
    expect(items[0]).to.deep.include({ state: 'issued', ...marks })
    const { body } = await deployment.exchange({ subject_token })
    expect(decodeJwt(body.access_token)).to.not.have.any.keys('permit', 'review')
    expect((await provider.impersonation.list()).items[0]).to.deep.include(marks)
    await deployment.exchange({ subject_token })
    const events = await deployment.recorded()
    expect(events.map(({ name }) => name.split('.')[1])).to.deep.equal([
      'issued',
      'started',
      'replayed',
    ])
    await provider.impersonation.endAll({ permit: 'p1' })
    for (const event of [...events, ...ended]) expect(event).to.deep.include(marks)
    expect(ended).to.have.length(1)
  })

  it('I15: what the rule says at the exchange is shown from then on, and every permit ends it', async () => {
    const { answers, authorize } = settable()
    await using deployment = await deploy({ impersonation: { authorize } })
    const { impersonation } = deployment.provider
    for (const revoked of ['issue', 'first', 'second']) {
      const permit = ['first', 'second'].map((which) => `${revoked}: ${which}`)
      Object.assign(answers, { issue: { permit: `${revoked}: issue` }, exchange: { permit } })
      await deployment.exchange()
      const { items } = await impersonation.list({ state: 'active' })
      expect(items.map((item) => item.permit)).to.deep.equal([permit])
      const filter = { permit: `${revoked}: ${revoked}` }
      expect(await impersonation.endAll({ ...filter, userId: 'bob' })).to.equal(0)
      expect(await impersonation.endAll({ ...filter, userId: 'alice' })).to.equal(1)
    }
  })
})
