import { expect } from 'chai'
import { type Authorize, allOf } from 'oidc-provider-impersonation'
import { renewed } from '../../../../../test/support/shared.ts'
import { readText } from '../../support/read-text.ts'
import { storePause } from '../../support/store-pause.ts'
import { deployWithPermits } from '../../support/with-permits.ts'

const QUESTION = { operator: 'olivia', userId: 'alice', application: 'shop', access: 'read' }

/** Bob is asked beside a second person, a change needs a second person, and nobody acts as Carla. */
const rule: Authorize = ({ account, scope = '', context }) => {
  if (account.accountId === 'carla') return false
  if (account.accountId === 'bob') return { needs: ['second_person', 'user'] }
  if (scope.includes('orders:write')) return { needs: ['second_person'], emergency: true }
  return { accessTokenTtl: Number(context.duration ?? 1800) }
}

describe('GET /rules with a question', () => {
  let asked: unknown[]
  const noting: Authorize = ({ isPreview, mayAct, context }) => {
    asked.push([isPreview, mayAct?.sub, context.ticketId])
    return true
  }
  noting.description = 'Operators act for a ticket.'
  const deployment = renewed(() => {
    asked = []
    return deployWithPermits(allOf(noting, rule))
  })
  const ask = async (question: object = {}, who = 'grace') => {
    const query = new URLSearchParams({ ...QUESTION, ...question })
    const { status, body } = await deployment.ask(who, `/rules?${query}`)
    return status === 200 ? (body.mayAct ?? body.notAnswered?.error) : [status, body.error]
  }

  it('answers what the rule would answer to the operator now, and for how long', async () => {
    expect(await ask()).to.deep.equal({ verdict: 'allowed', seconds: 600 })
    expect(asked, 'as a question beforehand, of the operator').to.deep.equal([
      [true, 'olivia', 'none'],
    ])
    expect(await ask({ userId: 'carla' })).to.deep.equal({ verdict: 'refused', by: 'rule' })
    const needed = await ask({ access: 'change' })
    expect(needed).to.deep.include({ verdict: 'needs', needs: ['second_person'] })
    expect(needed.approval.deciders.names).to.deep.equal(['Grace Lindqvist'])
    expect((await ask({ userId: 'bob' })).needs).to.deep.equal(['second_person', 'user'])
  })

  it('answers by the permit that the operator has, for the ticket of the question', async () => {
    const { id } = await deployment.granted({ ticket: 'SUP-1' })
    const change = { access: 'change' }
    const { verdict, permits: by } = await ask({ ...change, ticketId: 'SUP-1' })
    expect([verdict, by]).to.deep.equal(['allowed', [id]])
    for (const other of [{ ticketId: 'SUP-2' }, { ticketId: 'SUP-1', operator: 'oscar' }]) {
      expect((await ask({ ...change, ...other })).verdict).to.equal('needs')
    }
  })

  it('says what the console itself refuses: no role, a protected customer, a pause', async () => {
    const noRole = { verdict: 'refused', by: 'role' }
    for (const operator of ['ada', 'alice', 'nobody at all']) {
      expect(await ask({ operator }), operator).to.deep.equal(noRole)
    }
    expect(await ask({ userId: 'paula' })).to.deep.equal({
      verdict: 'refused',
      by: 'protected',
      reason: 'Paula works here: support does not act as colleagues.',
    })
    deployment.roles.set('bob', 'operator')
    expect(await ask({ operator: 'bob', userId: 'bob' })).to.deep.equal({
      verdict: 'refused',
      by: 'self',
    })
    const { id } = await storePause(deployment, {
      operator: 'olivia',
      customer: 'alice',
      by: 'alice',
    })
    const paused = await ask()
    expect([paused.verdict, paused.by, paused.record.id]).to.deep.equal(['refused', 'stop', id])
    expect(asked, 'none of them asked the rule').to.deep.equal([])
    deployment.roles.delete('oscar')
    expect(await ask({ operator: 'oscar' }), 'a role that was taken away').to.deep.equal(noRole)
  })

  it('says it in words on the page', async () => {
    for (const [question, words] of [
      [{ operator: 'ada' }, 'This person has no role in which one may act as a customer.'],
      [{ userId: 'carla' }, 'The rules do not allow it.'],
      [{ userId: 'paula' }, 'Paula works here: support does not act as colleagues.'],
    ] as const) {
      const query = new URLSearchParams({ ...QUESTION, ...question })
      const { text } = await deployment.browse('grace', `/rules?${query}`)
      expect(readText(text)).to.include(words)
    }
  })

  it('records nothing, begins nothing, and uses up no start of the operator', async () => {
    const newest = await deployment.audit.newest()
    for (let count = 0; count < 30; count += 1) await ask()
    await ask({ userId: 'carla' })
    await ask({ userId: 'paula' })
    await ask({ operator: 'ada' })
    await deployment.settled()
    expect(await deployment.audit.newest()).to.equal(newest)
    expect((await deployment.read('grace', '')).running).to.deep.equal([])
    expect((await deployment.read('grace', '/records')).records).to.deep.equal([])
    await deployment.impersonate({ access: 'read' })
  })

  it('is asked 60 times a minute by one person', async () => {
    for (let count = 0; count < 60; count += 1) await ask()
    expect(await ask()).to.deep.equal([429, 'temporarily_unavailable'])
    expect(await ask({}, 'ada'), 'another person').to.equal('user_not_found')
  })

  it('tells an auditor nothing of customers who are not in the audit', async () => {
    for (const userId of ['alice', 'carla', 'paula', 'no such person']) {
      expect(await ask({ userId }, 'ada'), userId).to.equal('user_not_found')
    }
    expect(await ask({ userId: 'no such person' })).to.equal('user_not_found')
    await deployment.impersonate({ access: 'read' })
    expect((await ask({}, 'ada')).verdict).to.equal('allowed')
    expect(JSON.stringify(await ask({}, 'ada'))).not.to.include('Alice')
  })

  it('is for leads and auditors, and says what is wrong with a question', async () => {
    expect(await ask({}, 'olivia')).to.deep.equal([403, 'access_denied'])
    expect(await ask({ application: 'x' })).to.equal('invalid_request')
    expect(await ask({ operator: '' }), 'no question').to.equal(undefined)
    for (const wrong of [{ access: 'all' }, { reason: 'r' }]) {
      expect(await ask(wrong), JSON.stringify(wrong)).to.deep.equal([400, 'invalid_request'])
    }
    deployment.faults.roles = true
    expect(await ask()).to.deep.equal([503, 'temporarily_unavailable'])
  })

  it('has the descriptions of the rules in force', async () => {
    for (const person of ['grace', 'ada']) {
      const body = await deployment.read(person, '/rules')
      // The first is the deployment's own, which says nothing of itself.
      expect(body.rules).to.deep.equal([null, 'Operators act for a ticket.', null])
      const { text } = await deployment.browse(person, '/rules')
      expect(readText(text)).to.match(
        /A rule without a description\..*Operators act for a ticket\..*A rule without a description/,
      )
    }
  })
})
