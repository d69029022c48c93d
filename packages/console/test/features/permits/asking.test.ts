import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import type { AuditStore, PermitsOptions } from 'oidc-provider-impersonation-console'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import type { RowAnswer } from '../../../src/web/answers.ts'
import { interceptCalls } from '../../ledger/stores/contract/support.ts'
import { ACT as LOOK } from '../../support/acting.ts'
import { begunAnew } from '../../support/begun-anew.ts'
import { CUSTOMERS, deploy } from '../../support/deployment.ts'
import { expectProblem, expectStatus, idsOf } from '../../support/expect-answer.ts'
import { follow } from '../../support/following.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { storePause } from '../../support/store-pause.ts'
import {
  deployWithPermits,
  type PermitsDeployment,
  RULE_WITHOUT_CARLA,
} from '../../support/with-permits.ts'

const ACT = { ...LOOK, access: 'change', reason: 'The address is wrong' }
const EMERGENCY = { ...ACT, emergency: 'The order leaves in five minutes' }
const GRACE: Partial<PermitsOptions> = { approvers: () => [{ id: 'grace' }] }
const BY_LEADS = { names: [], others: 0, isLeads: true }

/** The form to act, as a link has it. */
const formOf = (more: object = {}) =>
  `/act?${new URLSearchParams({ user: 'alice', ticket: 'SUP-123', access: 'change', ...more })}`

describe('permits in the console', () => {
  let deployment: PermitsDeployment
  /** By how much the clock of permits is ahead, in milliseconds. */
  let ahead: number

  const begin = begunAnew(
    async (options: Partial<PermitsOptions> = {}, audit: AuditStore = memoryAudit()) => {
      ahead = 0
      deployment = await deployWithPermits(RULE_WITHOUT_CARLA, {
        audit,
        now: () => Date.now() + ahead,
        permits: { approvers: undefined, window: 600, ...options },
      })
      return deployment
    },
  )

  const ask = (who: string, path: string, body?: unknown) => deployment.ask(who, path, body)
  const account = (who: string, path: string, body?: unknown) => deployment.account(who, path, body)
  const say = (who: string, id: string, event: string, note?: string) =>
    ask(who, `/records/${id}/${event}`, { note })
  const act = (more: object = {}) => ask('olivia', '/impersonations', { ...ACT, ...more })

  async function asked(more: object = {}) {
    const { status, body } = await ask('olivia', '/permits', { ...ACT, ...more })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.record.id
  }

  it('end with the console, which closes them before the audit', async () => {
    const calls: string[] = []
    const audit = interceptCalls(memoryAudit(), 'close', () => calls.push('audit'))
    const made = permitsWith({ audit })
    const close = () => {
      calls.push('permits')
      return made.close()
    }
    const own = { ...made, close }
    const other = await deploy({
      audit,
      authorize: own.wrap(RULE_WITHOUT_CARLA),
      console: { permits: own },
    })
    await other[Symbol.asyncDispose]()
    expect(calls).to.deep.equal(['permits', 'audit'])
  })

  it('a protected customer is refused with the sentence wherever an operator asks, and it is marked', async () => {
    const { id } = await deployment.impersonate({ access: 'read' })
    const why = 'Alice works here now.'
    deployment.protect('alice', why)
    for (const [path, body] of [
      ['/impersonations', LOOK],
      [`/impersonations/${id}/continue`, {}],
      ['/permits', ACT],
      ['/permits/emergency', EMERGENCY],
    ] as const) {
      const { status, body: answer } = await ask('olivia', path, body)
      const told = [status, answer.error, answer.error_description]
      expect(told, path).to.deep.equal([403, 'access_denied', why])
    }
    await deployment.settled()
    expect((await ask('grace', '/audit?alarm=any')).body.rows).to.not.have.lengthOf(0)
  })

  it('a refusal to act says what can be asked for, and who decides; it is no alarm, and not in the audit', async () => {
    const refused = await act()
    expectProblem(refused, 403, 'approval_required')
    expect(refused.body.approval).to.deep.equal({ by: ['second_person'], deciders: BY_LEADS })
    const id = await asked()
    const { record } = (await act()).body.approval
    expect(record).to.include({ id, state: 'requested', isMine: true })
    expectProblem(await act({ userId: 'bob' }), 403, 'approval_required')
    expectProblem(await act({ userId: 'carla' }), 403, 'access_denied')
    await deployment.settled()
    expect((await ask('grace', '')).body.inbox.alarms).to.deep.equal([])
    const { rows } = (await ask('grace', '/audit')).body
    const told = rows.map(({ customer, outcome }: RowAnswer) => [customer?.id, outcome])
    expect(told).to.deep.equal([['carla', 'refused']])
    expect((await deployment.accountOf('bob')).past.impersonations).to.deep.equal([])
  })

  it('an operator asks, a lead grants, the operator acts', async () => {
    const { body: created } = await ask('olivia', '/permits', ACT)
    expect(created.record).to.deep.include({
      isMine: true,
      canChange: true,
      applicationName: 'Shop',
      may: ['revoked'],
      customer: { id: 'alice', name: 'Alice Ng', email: 'alice@example.com' },
    })
    expect(created.deciders).to.deep.equal(BY_LEADS)
    const { id } = created.record
    expect(idsOf((await ask('olivia', '')).body.own)).to.deep.equal([id])
    expect(idsOf((await ask('grace', '')).body.inbox.records)).to.deep.equal([id])
    const granted = await say('grace', id, 'granted', 'Saw the ticket')
    expect(granted.body).to.include({ state: 'granted' })
    expect(granted.body.said[0].by).to.include({ id: 'grace', name: 'Grace Lindqvist' })
    const running = await deployment.impersonate()
    const page = await ask('grace', `/records/${id}`)
    expect(idsOf(page.body.impersonations)).to.deep.equal([running.id])
    expect((await ask('grace', `/audit/${running.id}`)).body).to.include({ permit: id })
  })

  it('what a lead takes back, the lead ended, by name and with their note; what the customer does, the customer', async () => {
    const byLeadsWord = await asked()
    await say('grace', byLeadsWord, 'granted')
    const byLead = await deployment.impersonate()
    const note = 'Call the customer first'
    await say('grace', byLeadsWord, 'revoked', note)
    const id = await asked({ userId: 'bob' })
    await account('bob', `/records/${id}/granted`, {})
    const byCustomer = await deployment.impersonate({ customer: 'bob' })
    await account('bob', `/records/${id}/revoked`, {})
    await deployment.settled()
    const endOf = async (row: { id: string }) => (await ask('ada', `/audit/${row.id}`)).body.end
    expect(await endOf(byLead)).to.deep.include({
      cause: 'requested',
      by: 'grace',
      name: 'Grace Lindqvist',
      reason: note,
    })
    expect(await endOf(byCustomer))
      .to.include({ cause: 'user', by: 'bob' })
      .and.not.have.property('reason')
    const told = async (who: string) => (await deployment.accountOf(who)).past.impersonations[0]
    const toAlice = await told('alice')
    const endedBy = { id: 'grace', name: 'Grace Lindqvist' }
    expect(toAlice).to.deep.include({ state: 'requested', endedBy })
    expect(JSON.stringify(toAlice), 'what a lead writes is for the team').to.not.contain(note)
    expect(await told('bob')).to.include({ state: 'user' })
  })

  it('the reason that was approved is the one that is written down', async () => {
    await say('grace', await asked(), 'granted')
    const { id } = await deployment.impersonate({ reason: 'Curious' })
    const { body } = await ask('ada', `/audit/${id}`)
    expect(body.reason).to.equal('The address is wrong')
    const look = await deployment.impersonate({ reason: 'Curious', access: 'read' })
    const object = await deployment.provider.impersonation.get(look.id)
    expect(object?.context).to.include({ reason: 'Curious' })
  })

  it('one approval covers Continue in its window, which asks again after it', async () => {
    await say('grace', await asked(), 'granted')
    const { id } = await deployment.impersonate()
    const goOn = (from: string) => ask('olivia', `/impersonations/${from}/continue`, {})
    const inside = await goOn(id)
    expectStatus(inside, 201)
    const next = await deployment.exchange('olivia', inside.body)
    ahead = 600_001
    const outside = await goOn(next.id)
    expectProblem(outside, 403, 'approval_required')
    expect(outside.body.approval.by).to.deep.equal(['second_person'])
    expect(await deployment.stateOf(next.id)).to.equal('active')
  })

  it('a list of approvers takes the place of leads: they are named, and an operator can be one', async () => {
    const names = [
      { id: 'oscar', name: 'Oscar Öhman' },
      { id: 'olivia', name: 'Olivia Okafor' },
      { id: 'alice', name: 'Alice Ng' },
    ]
    await begin({ approvers: () => names })
    const { record, deciders } = (await ask('olivia', '/permits', ACT)).body
    expect(deciders).to.deep.equal({ names: ['Oscar Öhman'], others: 0, isLeads: false })
    expectStatus(await say('grace', record.id, 'granted'), 403)
    expect((await ask('oscar', '')).body.inbox.records[0].may).to.include('granted')
    expectStatus(await say('oscar', record.id, 'granted'), 200)
  })

  it('without approvers there is no emergency: the answer names the option', async () => {
    const none = await ask('olivia', '/permits/emergency', EMERGENCY)
    expectProblem(none, 409, 'no_approver')
    expect(none.body.error_description).to.include('approvers')
    await begin(GRACE)
    expect((await act()).body.approval.emergency).to.equal(true)
  })

  it('I9: an answer of approvers that is no list is nobody, not every lead', async () => {
    for (const answer of [undefined, null, 'grace', { id: 'grace' }, [null], ['grace'], [{}]]) {
      const anything: unknown = answer
      const approvers = (() => anything) as () => []
      let isList = true
      await begin({ approvers: () => (isList ? [{ id: 'oscar' }] : approvers()) })
      const id = await asked()
      isList = false
      expectStatus(await say('grace', id, 'granted'), 403, JSON.stringify(answer))
    }
  })

  it('approvers that throw or hang are told as 503, and nothing else waits for them', async () => {
    let answer: () => Promise<[]> = () => Promise.reject(new Error('out of order'))
    await begin({ approvers: () => answer(), timeout: 0.3 })
    expectStatus(await ask('olivia', '/permits', ACT), 503)
    answer = () => new Promise(() => {})
    expectStatus(await ask('olivia', '/permits', ACT), 503)
    expectStatus(await ask('olivia', ''), 200)
    expectStatus(await act(LOOK), 201)
  })

  it('what is to be reviewed is read by itself, and a count over 100 says that there are more', async () => {
    await begin(GRACE)
    const { id } = await deployment.emergency()
    const customers = CUSTOMERS.map((each) => each.id).filter(
      (each) => !/alice|bob|carla|paula/.test(each),
    )
    for (const [application, most] of [
      ['shop', 40],
      ['other', 15],
    ] as const) {
      for (const customer of customers.slice(0, most)) {
        await deployment.request({ application, customer })
        await deployment.request({ application, customer, operator: 'oscar' })
      }
    }
    const { records } = (await ask('grace', '')).body.inbox
    expect([records[0].id, records.length], 'more than a page').to.deep.equal([id, 100])
    expect((await deployment.browse('grace', '')).text).to.include('<title>(>100) ')
    await using stream = await follow(deployment, 'grace')
    expect((await stream.next()).waits).to.equal(101)
  })

  it('who is slow to say who may decide changes the number on the page without another change', async () => {
    let calls = 0
    const answer = Promise.withResolvers<{ id: string }[]>()
    await begin({
      approvers: () => {
        calls += 1
        return answer.promise
      },
      timeout: 20,
    })
    await storePause(deployment, { operator: 'olivia', customer: 'alice', by: 'alice' })
    await using stream = await follow(deployment, 'grace')
    await using auditors = await follow(deployment, 'ada')
    expect((await stream.next()).waits, 'it is not known yet').to.equal(0)
    expect((await auditors.next()).waits).to.equal(0)
    answer.resolve([{ id: 'grace' }])
    expect((await stream.next()).waits).to.equal(1)
    expect(calls, 'one question for all who follow').to.equal(1)
  })

  it('a rule that does not answer beforehand keeps no form waiting', async () => {
    const authorize: Authorize = ({ isPreview }) => (isPreview ? new Promise(() => {}) : true)
    await using slow = await deploy({ authorize })
    const { status, body } = await slow.ask('olivia', formOf())
    expect([status, body.verdict]).to.deep.equal([200, undefined])
  })

  it('what a start would need is said before, and nothing is issued or recorded', async () => {
    const foreseen = async (more: object) => (await ask('olivia', formOf(more))).body
    expect(await foreseen({ access: 'read' })).to.include({ verdict: 'allowed' })
    expect(await foreseen({ user: 'carla' })).to.include({ verdict: 'refused' })
    expect(await foreseen({ ticket: '' }), 'without a ticket').to.not.have.property('verdict')
    const { verdict, approval } = await foreseen({})
    expect(verdict).to.equal('needs')
    expect(approval).to.deep.include({ by: ['second_person'], deciders: BY_LEADS })
    expectProblem(await ask('ada', formOf()), 403, 'access_denied')
    await deployment.settled()
    expect((await ask('ada', '/audit')).body.rows).to.deep.equal([])
    for (let asked = 3; asked < 60; asked += 1) await foreseen({})
    expect(await foreseen({}), 'more than 60 in a minute').to.not.have.property('verdict')
    await using other = await deploy()
    const body = await other.read('olivia', formOf())
    expect(body.verdict, 'another console of this process').to.equal('allowed')
  })

  it('409 has the permit that stands in the way, and says when to ask again', async () => {
    await begin(GRACE)
    const id = await asked()
    const twice = await ask('olivia', '/permits', ACT)
    expectProblem(twice, 409, 'already_requested')
    expect(twice.body.permit.id).to.equal(id)
    const as = async (ticketId: string) => (await act({ ticketId })).body.approval.record?.id
    expect(await as('ｓｕｐ - 123'), 'the same ticket, as another person writes it').to.equal(id)
    expect(await as('SUP-9')).to.equal(undefined)
    await say('olivia', await asked({ ticketId: 'SUP-9' }), 'revoked')
    await say('grace', id, 'declined', 'No ticket')
    const late = await ask('olivia', '/permits/emergency', EMERGENCY)
    expectProblem(late, 409, 'refused_lately')
    expect(Number(late.headers.get('retry-after'))).to.be.within(86_000, 86_400)
    expectProblem(await say('grace', id, 'granted'), 409, 'decided')
  })

  it('an emergency is taken back where a lead ends one start under it: nothing starts by it', async () => {
    await begin(GRACE)
    const { id } = await deployment.emergency()
    const ids: string[] = []
    while (ids.length < 4) ids.push((await deployment.impersonate()).id)
    const own = await ask('olivia', `/running/${ids[0]}/end`, {})
    expectStatus(own, 204, 'the operator ends one')
    expect((await deployment.permits.get(id))?.state).to.equal('granted')
    const ended = await ask('grace', `/running/${ids[1]}/end`, {})
    expectStatus(ended, 204, ended.text)
    const record = await deployment.permits.get(id)
    expect(record).to.include({ state: 'revoked' })
    expect(record?.said[0]?.by).to.include({ id: 'grace' })
    expect(new Set(await Promise.all(ids.map(deployment.stateOf)))).to.deep.equal(
      new Set(['ended']),
    )
    expectProblem(await act(), 403, 'approval_required')
  })

  it('a stop of nobody is refused: it would end what everybody runs', async () => {
    const { id } = await deployment.impersonate({ access: 'read', operator: 'oscar' })
    const nobody: { operator: string; by: string } = JSON.parse('{"by":"grace"}')
    const error = await deployment.permits.stop(nobody).catch((reason: unknown) => reason)
    expect(String(error)).to.include('operator is required')
    expect(await deployment.stateOf(id)).to.equal('active')
  })

  it('a stop and an objection hold also where the clock was set back since another one was lifted', async () => {
    const lift = async (id = '') => {
      ahead = 5000
      await deployment.permits.lift(id, { by: 'grace', note: 'We talked' })
      ahead = 0
    }
    const stop = () => ask('grace', '/stops', { operator: 'olivia' })
    await lift((await stop()).body.id)
    expectStatus(await stop(), 201)
    expectProblem(await act(LOOK), 403, 'stopped')
    const object = async () => {
      const { id } = await deployment.impersonate({ access: 'read', operator: 'oscar' })
      return (await account('alice', '/objection', { id })).body
    }
    expect(await object()).to.include({ isStopped: true })
    const ofAlice = { kind: 'stop', customer: 'alice', isOpen: true } as const
    await lift((await deployment.permits.list(ofAlice)).records[0]?.id)
    expect(await object()).to.include({ isStopped: true })
  })

  it('an emergency acts at once, bars the next until it is reviewed, and is marked wherever it is read', async () => {
    await begin(GRACE)
    const plain = await deployment.impersonate({ access: 'read' })
    const { status, body } = await ask('olivia', '/permits/emergency', EMERGENCY)
    expect([status, body.record.state, body.record.kind]).to.eql([201, 'granted', 'emergency'])
    const [one] = (await deployment.accountOf('alice')).records.records
    expect(one.unapproved).to.equal('emergency')
    const { id } = await deployment.impersonate()
    const marksIn = (found: readonly { id: string; unapproved?: string }[]) =>
      found.map((each) => [each.id, each.unapproved])
    const both = [
      [plain.id, undefined],
      [id, 'emergency'],
    ]
    for (const who of ['grace', 'ada', 'olivia']) {
      expect(marksIn((await ask(who, '')).body.running), who).to.have.deep.members(both)
      expect(marksIn((await ask(who, '/audit')).body.rows), who).to.have.deep.members(both)
    }
    const { body: page } = await ask('oscar', '/customers/alice')
    expect(marksIn(page.running)).to.have.deep.members(both)
    const now = (await deployment.accountOf('alice')).running
    expect(marksIn(now)).to.have.deep.members(both)
    await deployment.provider.impersonation.end(id)
    await deployment.settled()
    const past = (await deployment.accountOf('alice')).past.impersonations
    expect(marksIn(past)).to.deep.include(both[1])
    ahead = 600_000
    const next = await ask('olivia', '/permits/emergency', EMERGENCY)
    expectProblem(next, 409, 'review_due')
    const { approval } = (await act()).body
    expect(approval, 'what is not possible is not offered').to.not.have.property('emergency')
    expect(approval).to.include({ isReviewDue: true })
  })

  it('asks who may decide once for each request and each decision, and reads the record three times to decide', async () => {
    let [calls, reads] = [0, 0]
    const audit = interceptCalls(memoryAudit(), 'permit', () => {
      reads += 1
    })
    const approvers = () => {
      calls += 1
      return [{ id: 'grace' }]
    }
    await begin({ approvers }, audit)
    const counted = async (who: string, path: string, body: object) => {
      calls = 0
      reads = 0
      const { status, body: answer } = await ask(who, path, body)
      // To be found, and in the step that decides.
      const expected = path === '/permits' ? [201, 1, 0] : [200, 1, 3]
      expect([status, calls, reads], path).to.deep.equal(expected)
      return answer
    }
    const request = async () => (await counted('olivia', '/permits', ACT)).record.id
    const first = await request()
    calls = 0
    for (let changes = 0; changes < 5; changes += 1) {
      expect((await deployment.browse('grace', '/rules')).text).to.include('<title>(1) ')
    }
    expect(calls, 'not at each change of anything').to.equal(0)
    const granted = await counted('grace', `/records/${first}/granted`, {})
    expect(granted.may).to.deep.equal(['revoked'])
    await counted('grace', `/records/${first}/revoked`, {})
    const refused = await counted('grace', `/records/${await request()}/declined`, {})
    expect(refused.may).to.deep.equal([])
    expectStatus(await say('olivia', 'junk', 'granted'), 404)
  })

  describe('of a customer', () => {
    const allow = (choice = 'allow') => account('bob', '/answer', { choice })

    it('are asked for, granted and taken back on the account page, by the customer alone', async () => {
      const id = await asked({ userId: 'bob' })
      const own = async (who = 'bob') => (await deployment.accountOf(who)).records.records
      const [mine, ...others] = await own()
      expect(others).to.deep.equal([])
      expect(mine).to.deep.include({ id, application: 'Shop', canChange: true, for: 600 })
      expect(mine, 'the reason is the operator’s').not.to.have.property('reason')
      expect(await own('alice')).to.deep.equal([])
      const bySaying = (who: string, event: string) => account(who, `/records/${id}/${event}`, {})
      expectStatus(await bySaying('alice', 'granted'), 404)
      expectStatus(await say('grace', id, 'granted'), 409)
      expectStatus(await bySaying('bob', 'granted'), 204)
      const twice = await bySaying('bob', 'granted')
      expect(twice.body).to.have.all.keys('error', 'error_description')
      const running = await deployment.impersonate({ customer: 'bob' })
      expect((await own())[0]).to.include({ id, state: 'granted' })
      expectStatus(await bySaying('bob', 'revoked'), 204)
      expect(await deployment.stateOf(running.id)).to.equal('ended')
    })

    it('the standing answer is given, and taken back', async () => {
      const before = (await deployment.accountOf('bob')).records.standing
      expect(before).to.deep.equal({ choice: 'rule' })
      for (const choice of ['allow', 'ask']) expect((await allow(choice)).body).to.eql({ choice })
      expectStatus(await allow('ever'), 400)
    })

    it('what the standing answer allowed leads to that answer', async () => {
      await allow()
      const running = await deployment.impersonate({ customer: 'bob', access: 'read' })
      const { permit } = (await ask('ada', `/audit/${running.id}`)).body
      for (const who of ['ada', 'olivia']) {
        const { record, impersonations } = (await ask(who, `/records/${permit}`)).body
        expect(record, who).to.deep.include({ kind: 'answer', state: 'allow' })
        expect(record.customer.id).to.equal('bob')
        expect(idsOf(impersonations)).to.deep.equal([running.id])
      }
      expectStatus(await ask('oscar', `/records/${permit}`), 404)
    })

    it('can always say no, whatever was said before', async () => {
      for (let times = 0; times < 60; times += 1) await allow()
      expectStatus(await allow(), 429)
      const open = await ask('olivia', '/permits', { ...ACT, userId: 'bob' })
      expectStatus(open, 409, 'it is open')
      expectStatus(await allow('ask'), 200)
      const refused = await asked({ userId: 'bob' })
      expectStatus(await account('bob', `/records/${refused}/declined`, {}), 204)
    })

    it('I15: an impersonated token neither reads nor sets it', async () => {
      await allow()
      const { accessToken } = await deployment.impersonate({ customer: 'bob' })
      const headers = { authorization: `Bearer ${accessToken}` }
      for (const [path, body] of [
        ['', undefined],
        ['/answer', { choice: 'allow' }],
      ] as const) {
        expectStatus(await deployment.account(headers, path, body), 401, path)
      }
      expect((await deployment.permits.answer('bob')).choice).to.equal('allow')
    })
  })
})
