import { expect } from 'chai'
import { createParser } from 'eventsource-parser'
import type { Authorize } from 'oidc-provider-impersonation'
import type { Permits, PermitsOptions } from 'oidc-provider-impersonation-console'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { settingsOf } from '../../../src/settings.ts'
import type { RowAnswer } from '../../../src/web/answers.ts'
import { assertWholeLog } from '../../ledger/stores/contract/support.ts'
import { askAccount, askAs } from '../../support/account.ts'
import { type Answer, CUSTOMERS, type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'

/** A change needs a second person; in Bob's account, Bob himself. */
const rule: Authorize = ({ account, scope = '' }) => {
  if (account.accountId === 'bob') return { needs: ['user'] }
  if (account.accountId === 'carla') return false
  const needs = ['second_person'] as const
  const emergency = account.accountId === 'alice'
  return scope.includes('orders:write') ? { needs, emergency } : true
}

const ACT = {
  ...{ userId: 'alice', ticketId: 'SUP-123', reason: 'The address is wrong' },
  ...{ application: 'shop', access: 'change' },
}
const EMERGENCY = { ...ACT, emergency: 'The order leaves in five minutes' }

/** The form to act, as a link has it. */
const formOf = (more: object = {}) =>
  `/act?${new URLSearchParams({ user: 'alice', ticket: 'SUP-123', access: 'change', ...more })}`

describe('permits in the console', () => {
  let permits: Permits
  let deployment: Deployment
  /** By how much the clock of permits is ahead, in milliseconds. */
  let ahead: number

  async function begin(options: Partial<PermitsOptions> = {}): Promise<void> {
    const audit = memoryAudit()
    ahead = 0
    permits = permitsWith(
      { audit, window: 600, standing: {}, ...options },
      () => Date.now() + ahead,
    )
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
  }
  async function end(): Promise<void> {
    await assertWholeLog(deployment.audit)
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  }
  async function begunAnew(options: Partial<PermitsOptions>): Promise<void> {
    await end()
    await begin(options)
  }
  beforeEach(() => begin())
  afterEach(end)

  it('end with the console, which closes them before the audit', async () => {
    const calls: string[] = []
    const saying = (name: string, close: () => Promise<void>) => () => {
      calls.push(name)
      return close()
    }
    const kept = memoryAudit()
    const audit = { ...kept, close: saying('audit', kept.close) }
    const made = permitsWith({ audit }, () => Date.now())
    const own = { ...made, close: saying('permits', made.close) }
    const other = await deploy({ audit, authorize: own.wrap(rule), console: { permits: own } })
    await other[Symbol.asyncDispose]()
    expect(calls).to.deep.equal(['permits', 'audit'])
  })

  it('a protected customer is refused with the sentence wherever an operator asks', async () => {
    const { id } = await deployment.impersonate({ access: 'read' })
    const why = 'Alice works here now.'
    deployment.protect('alice', why)
    for (const [path, body] of [
      ['/impersonations', { ...ACT, access: 'read' }],
      [`/impersonations/${id}/continue`, {}],
      ['/permits', ACT],
      ['/permits/emergency', EMERGENCY],
    ] as const) {
      const { status, body: answer } = await ask('olivia', path, body)
      const told = [status, answer.error, answer.error_description]
      expect(told, path).to.deep.equal([403, 'access_denied', why])
    }
  })

  const ask = (who: string, path: string, body?: unknown): Promise<Answer> =>
    deployment.ask(who, path, body)
  const codeOf = ({ status, body }: Answer) => [status, body.error]

  async function asked(more: object = {}): Promise<string> {
    const { status, body } = await ask('olivia', '/permits', { ...ACT, ...more })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.record.id
  }

  const account = (who: string, path: string, body?: unknown) => askAs(deployment, who, path, body)

  it('a refusal to act says what can be asked for, and who decides; it is no alarm', async () => {
    const refused = await ask('olivia', '/impersonations', ACT)
    expect(codeOf(refused)).to.deep.equal([403, 'approval_required'])
    expect(refused.body.approval).to.deep.equal({
      by: ['second_person'],
      deciders: { names: [], others: 0, isLeads: true },
    })
    const id = await asked()
    const again = await ask('olivia', '/impersonations', ACT)
    expect(again.body.approval.record).to.include({ id, state: 'requested', isMine: true })
    await deployment.settled()
    const { body } = await ask('grace', '')
    expect(body.inbox.alarms).to.deep.equal([])
  })

  it('a start that needs an approval first is no refusal: not in the audit, not on the customer’s page', async () => {
    const refused = await ask('olivia', '/impersonations', { ...ACT, userId: 'bob' })
    expect(codeOf(refused)).to.deep.equal([403, 'approval_required'])
    const closed = await ask('olivia', '/impersonations', { ...ACT, userId: 'carla' })
    expect(codeOf(closed)).to.deep.equal([403, 'access_denied'])
    await deployment.settled()
    const { body } = await ask('grace', '/audit')
    const told = body.rows.map(({ customer, outcome }: RowAnswer) => [customer?.id, outcome])
    expect(told).to.deep.equal([['carla', 'refused']])
    expect((await account('bob', '/impersonations')).body.impersonations).to.deep.equal([])
  })

  it('an operator asks, a lead grants, the operator acts', async () => {
    const { body: created } = await ask('olivia', '/permits', ACT)
    expect(created.record).to.deep.include({
      ...{ isMine: true, canChange: true, applicationName: 'Shop', may: ['revoked'] },
      customer: { id: 'alice', name: 'Alice Ng', email: 'alice@example.com' },
    })
    expect(created.deciders).to.deep.equal({ names: [], others: 0, isLeads: true })
    const { id } = created.record
    const [mine] = (await ask('olivia', '')).body.own
    expect(mine).to.include({ id })
    const [waiting] = (await ask('grace', '')).body.inbox.records
    expect(waiting).to.include({ id })
    const granted = await ask('grace', `/records/${id}/granted`, { note: 'Saw the ticket' })
    expect(granted.body).to.include({ state: 'granted' })
    expect(granted.body.said[0].by).to.include({ id: 'grace', name: 'Grace Lindqvist' })
    const running = await deployment.impersonate({ ticket: 'SUP-123' })
    await deployment.settled()
    const page = await ask('grace', `/records/${id}`)
    expect(page.body.impersonations.map((row: { id: string }) => row.id)).to.deep.equal([
      running.id,
    ])
    expect((await ask('grace', `/audit/${running.id}`)).body).to.include({ permit: id })
  })

  it('what a lead takes back, the lead ended, by name and with their note; what the customer does, the customer', async () => {
    const changes = { access: 'change' } as const
    const byLeadsWord = await asked()
    await ask('grace', `/records/${byLeadsWord}/granted`, {})
    const byLead = await deployment.impersonate({ ticket: 'SUP-123' })
    const note = 'Call the customer first'
    await ask('grace', `/records/${byLeadsWord}/revoked`, { note })
    const id = await asked({ userId: 'bob' })
    await account('bob', `/records/${id}/granted`, {})
    const byCustomer = await deployment.impersonate({
      customer: 'bob',
      ticket: 'SUP-123',
      ...changes,
    })
    await account('bob', `/records/${id}/revoked`, {})
    await deployment.settled()
    const endOf = async (row: { id: string }) => (await ask('ada', `/audit/${row.id}`)).body.end
    expect(await endOf(byLead)).to.deep.include({
      ...{ cause: 'requested', by: 'grace', name: 'Grace Lindqvist', reason: note },
    })
    const customers = await endOf(byCustomer)
    expect([customers.cause, customers.by, customers.reason]).to.deep.equal([
      'user',
      'bob',
      undefined,
    ])
    const told = async (who: string) =>
      (await account(who, '/impersonations')).body.impersonations[0]
    const toAlice = await told('alice')
    expect(toAlice).to.deep.include({
      ...{ state: 'requested', endedBy: { id: 'grace', name: 'Grace Lindqvist' } },
    })
    expect(JSON.stringify(toAlice), 'what a lead writes is for the team').to.not.contain(note)
    expect(await told('bob')).to.include({ state: 'user' })
  })

  it('the reason that was approved is the one that is written down', async () => {
    const start = { access: 'change', reason: 'Curious' } as const
    await ask('grace', `/records/${await asked()}/granted`, {})
    const { id } = await deployment.impersonate(start)
    await deployment.settled()
    const [row] = (await ask('ada', '/audit')).body.rows
    expect(row).to.include({ id, reason: 'The address is wrong' })
    const look = await deployment.impersonate({ ...start, access: 'read' })
    expect((await deployment.provider.impersonation.get(look.id))?.context).to.include({
      reason: 'Curious',
    })
  })

  it('one approval covers Continue in its window, which asks again after it', async () => {
    await ask('grace', `/records/${await asked()}/granted`, {})
    const { id } = await deployment.impersonate({ ticket: 'SUP-123' })
    const inside = await ask('olivia', `/impersonations/${id}/continue`, {})
    expect(inside.status).to.equal(201)
    const next = await deployment.exchange('olivia', inside.body)
    ahead = 600_001
    const outside = await ask('olivia', `/impersonations/${next.id}/continue`, {})
    expect(codeOf(outside)).to.deep.equal([403, 'approval_required'])
    expect(outside.body.approval.by).to.deep.equal(['second_person'])
    expect((await deployment.provider.impersonation.get(next.id))?.state).to.equal('active')
  })

  it('a list of approvers takes the place of leads: they are named, and an operator can be one', async () => {
    const names = [
      { id: 'oscar', name: 'Oscar Öhman' },
      { id: 'olivia', name: 'Olivia Okafor' },
      { id: 'alice', name: 'Alice Ng' },
    ]
    await begunAnew({ approvers: () => names })
    const { body } = await ask('olivia', '/permits', ACT)
    expect(body.deciders).to.deep.equal({ names: ['Oscar Öhman'], others: 0, isLeads: false })
    const { id } = body.record
    expect((await ask('grace', `/records/${id}/granted`, {})).status).to.equal(403)
    expect((await ask('oscar', '')).body.inbox.records[0].may).to.include('granted')
    expect((await ask('oscar', `/records/${id}/granted`, {})).status).to.equal(200)
  })

  it('without approvers there is no emergency: the answer names the option', async () => {
    const { status, body } = await ask('olivia', '/permits/emergency', EMERGENCY)
    expect([status, body.error]).to.deep.equal([409, 'no_approver'])
    expect(body.error_description).to.include('approvers')
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const refused = await ask('olivia', '/impersonations', ACT)
    expect(refused.body.approval.emergency).to.equal(true)
  })

  it('I9: an answer of approvers that is no list is nobody, not every lead', async () => {
    for (const answer of [undefined, null, 'grace', { id: 'grace' }, [null], ['grace'], [{}]]) {
      const anything: unknown = answer
      const approvers = (() => anything) as () => []
      let isList = true
      await begunAnew({ approvers: () => (isList ? [{ id: 'oscar' }] : approvers()) })
      const id = await asked()
      isList = false
      const { status } = await ask('grace', `/records/${id}/granted`, {})
      expect(status, JSON.stringify(answer)).to.equal(403)
    }
  })

  it('approvers that throw or hang are told as 503, and nothing else waits for them', async () => {
    let answer: () => Promise<[]> = () => Promise.reject(new Error('out of order'))
    await begunAnew({ approvers: () => answer(), timeout: 0.3 })
    expect(codeOf(await ask('olivia', '/permits', ACT))[0]).to.equal(503)
    answer = () => new Promise(() => {})
    expect(codeOf(await ask('olivia', '/permits', ACT))[0]).to.equal(503)
    expect((await ask('olivia', '')).status).to.equal(200)
    expect((await ask('olivia', '/impersonations', { ...ACT, access: 'read' })).status).to.equal(
      201,
    )
  })

  it('approvers are asked once for a request, and not at each change of anything', async () => {
    let calls = 0
    const approvers = () => {
      calls += 1
      return [{ id: 'grace' }]
    }
    await begunAnew({ approvers })
    await asked()
    calls = 0
    for (let changes = 0; changes < 5; changes += 1) {
      expect((await deployment.browse('grace', '/rules')).text).to.include('<title>(1) ')
    }
    expect(calls).to.equal(1)
  })

  it('what is to be reviewed is read by itself, and a count over 100 says that there are more', async () => {
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const facts = {
      ...{ application: 'shop', resource: `${deployment.url}/orders`, ticket: 'SUP-1' },
      ...{ scope: 'orders:read orders:write', reason: 'The address is wrong' },
    }
    const emergency = { ...facts, customer: 'alice', operator: 'olivia' }
    const { id } = await permits.emergency({ ...emergency, why: 'It cannot wait' })
    const customers = CUSTOMERS.map((each) => each.id).filter(
      (each) => !/alice|bob|carla|paula/.test(each),
    )
    for (const [application, most] of [
      ['shop', 40],
      ['other', 15],
    ] as const) {
      for (const customer of customers.slice(0, most)) {
        const request = { ...facts, application, customer }
        await permits.request({ ...request, operator: 'olivia' })
        await permits.request({ ...request, operator: 'oscar' })
      }
    }
    const { records } = (await ask('grace', '')).body.inbox
    expect([records[0].id, records.length], 'more than a page').to.deep.equal([id, 100])
    expect((await deployment.browse('grace', '')).text).to.include('<title>(>100) ')
    const stream = await firstOf('grace')
    expect((await stream.next()).waits).to.equal(101)
    await stream.stop()
  })

  it('who is slow to say who may decide changes the number on the page without another change', async () => {
    let calls = 0
    let answer = Promise.withResolvers<{ id: string }[]>()
    await begunAnew({
      approvers: () => {
        calls += 1
        return answer.promise
      },
      timeout: 20,
    })
    answer.resolve([{ id: 'grace' }])
    await asked()
    answer = Promise.withResolvers()
    calls = 0
    const [stream, other] = [await firstOf('grace'), await firstOf('ada')]
    expect((await stream.next()).waits, 'it is not known yet').to.equal(0)
    expect((await other.next()).waits).to.equal(0)
    answer.resolve([{ id: 'grace' }])
    expect((await stream.next()).waits).to.equal(1)
    expect(calls, 'one question for all who follow').to.equal(1)
    await Promise.all([stream.stop(), other.stop()])
  })

  /** The events of a stream of the console. */
  async function firstOf(who: string) {
    const token = await deployment.tokenOf(who)
    const over = new AbortController()
    const headers = { authorization: `Bearer ${token}` }
    const path = `${deployment.consoleUrl}/stream`
    const { body } = await fetch(path, { headers, signal: over.signal })
    if (!body) return expect.fail('there is no stream')
    const events: { waits: number }[] = []
    const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) })
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    return {
      async next() {
        while (events.length === 0) parser.feed((await reader.read()).value ?? '')
        return events.shift() ?? expect.fail()
      },
      async stop() {
        over.abort()
        await reader.read().catch(() => {})
      },
    }
  }

  it('the rule says what a request needs, and nothing the caller sends', async () => {
    expect(codeOf(await ask('olivia', '/permits', { ...ACT, needs: ['user'] }))).to.deep.equal([
      ...[400, 'invalid_request'],
    ])
    const inBobs = { ...ACT, userId: 'bob' }
    expect(
      codeOf(await ask('olivia', '/permits/emergency', { ...inBobs, emergency: 'Now' })),
    ).to.deep.equal([...[403, 'access_denied']])
    expect((await account('bob', '/records')).body.records).to.deep.equal([])
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
    expect([verdict, approval.by, approval.deciders]).to.deep.equal([
      ...['needs', ['second_person'], { names: [], others: 0, isLeads: true }],
    ])
    expect(codeOf(await ask('ada', formOf()))).to.deep.equal([403, 'access_denied'])
    await deployment.settled()
    expect((await ask('ada', '/audit')).body.rows).to.deep.equal([])
    for (let asked = 3; asked < 60; asked += 1) await foreseen({})
    expect(await foreseen({}), 'more than 60 in a minute').to.not.have.property('verdict')
    await using other = await deploy()
    const { body } = await other.ask('olivia', formOf())
    expect(body.verdict, 'another console of this process').to.equal('allowed')
  })

  it('409 has the permit that stands in the way, and says when to ask again', async () => {
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const id = await asked()
    const twice = await ask('olivia', '/permits', ACT)
    expect(codeOf(twice)).to.deep.equal([409, 'already_requested'])
    expect(twice.body.permit.id).to.equal(id)
    const as = async (ticketId: string) =>
      (await ask('olivia', '/impersonations', { ...ACT, ticketId })).body.approval.record?.id
    expect(await as('ｓｕｐ - 123'), 'the same ticket, as another person writes it').to.equal(id)
    expect(await as('SUP-9')).to.equal(undefined)
    const other = await asked({ ticketId: 'SUP-9' })
    await ask('olivia', `/records/${other}/revoked`, {})
    await ask('grace', `/records/${id}/declined`, { note: 'No ticket' })
    const late = await ask('olivia', '/permits/emergency', EMERGENCY)
    expect(codeOf(late)).to.deep.equal([409, 'refused_lately'])
    expect(Number(late.headers.get('retry-after'))).to.be.within(86_000, 86_400)
    expect(codeOf(await ask('grace', `/records/${id}/granted`, {}))).to.deep.equal([409, 'decided'])
  })

  it('every list answers 400 to a cursor that no one can have been given', async () => {
    for (const path of ['/records', '/audit']) {
      const answer = await ask('ada', `${path}?before=junk`)
      expect(codeOf(answer), path).to.deep.equal([400, 'invalid_request'])
    }
    const own = await account('alice', '/impersonations?before=junk')
    expect(codeOf(own)).to.deep.equal([400, 'invalid_request'])
  })

  it('a request for a protected customer is refused, and marked, as a request to act', async () => {
    const refused = await ask('olivia', '/permits', { ...ACT, userId: 'paula' })
    expect(codeOf(refused)).to.deep.equal([403, 'access_denied'])
    await deployment.settled()
    expect((await ask('grace', '/audit?alarm=any')).body.rows).to.have.length(1)
  })

  it('an emergency acts at once, and bars the next until it is reviewed', async () => {
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const { status, body } = await ask('olivia', '/permits/emergency', EMERGENCY)
    expect([status, body.record.state, body.record.kind]).to.eql([201, 'granted', 'emergency'])
    const { id } = await deployment.impersonate({ ticket: 'SUP-123' })
    await deployment.settled()
    expect((await ask('grace', `/audit/${id}`)).body.review).to.equal('emergency')
    ahead = 600_000
    const next = await ask('olivia', '/permits/emergency', EMERGENCY)
    expect(codeOf(next)).to.deep.equal([409, 'review_due'])
    const { approval } = (await ask('olivia', '/impersonations', ACT)).body
    expect(approval, 'what is not possible is not offered').to.not.have.property('emergency')
    expect(approval).to.include({ isReviewDue: true })
  })

  it('an emergency is taken back where a lead ends one start under it: nothing starts by it', async () => {
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const { body } = await ask('olivia', '/permits/emergency', EMERGENCY)
    const ids: string[] = []
    for (let starts = 0; starts < 4; starts += 1) {
      ids.push((await deployment.impersonate({ ticket: 'SUP-123' })).id)
    }
    const own = await ask('olivia', `/running/${ids[0]}/end`, {})
    expect(own.status, 'the operator ends one').to.equal(204)
    expect((await permits.get(body.record.id))?.state).to.equal('granted')
    const ended = await ask('grace', `/running/${ids[1]}/end`, {})
    expect(ended.status, ended.text).to.equal(204)
    const record = await permits.get(body.record.id)
    expect(record).to.include({ state: 'revoked' })
    expect(record?.said[0]?.by).to.include({ id: 'grace' })
    const { impersonation } = deployment.provider
    const states = await Promise.all(ids.map(async (id) => (await impersonation.get(id))?.state))
    expect(states).to.deep.equal(['ended', 'ended', 'ended', 'ended'])
    expect(codeOf(await ask('olivia', '/impersonations', ACT))).to.deep.equal([
      ...[403, 'approval_required'],
    ])
  })

  it('a stop and an objection hold also where the clock was set back since another one was lifted', async () => {
    const lift = async (id = '') => {
      ahead = 5000
      await permits.lift(id, { by: 'grace', note: 'We talked' })
      ahead = 0
    }
    const stop = () => ask('grace', '/stops', { operator: 'olivia' })
    await lift((await stop()).body.id)
    expect((await stop()).status).to.equal(201)
    const read = { ...ACT, access: 'read' }
    expect(codeOf(await ask('olivia', '/impersonations', read))).to.deep.equal([403, 'stopped'])
    const object = async () => {
      const { id } = await deployment.impersonate({ access: 'read', operator: 'oscar' })
      await deployment.settled()
      return (await account('alice', '/objection', { id })).body
    }
    expect(await object()).to.include({ isStopped: true })
    const [held] = (await permits.list({ kind: 'stop', customer: 'alice', isOpen: true })).records
    await lift(held?.id)
    expect(await object()).to.include({ isStopped: true })
  })

  it('an emergency is marked wherever it is read: running, audit, search, the customer’s page', async () => {
    await begunAnew({ approvers: () => [{ id: 'grace' }] })
    const plain = await deployment.impersonate({ access: 'read' })
    await ask('olivia', '/permits/emergency', EMERGENCY)
    const [one] = (await account('alice', '/records')).body.records
    expect(one.unapproved).to.equal('emergency')
    const { id } = await deployment.impersonate({ ticket: 'SUP-123' })
    await deployment.settled()
    const marksIn = (found: readonly { id: string; unapproved?: string }[]) =>
      found.map((each) => [each.id, each.unapproved])
    const marked = [id, 'emergency']
    const both = [[plain.id, undefined], marked]
    for (const who of ['grace', 'ada', 'olivia']) {
      const { running } = (await ask(who, '')).body
      expect(marksIn(running), who).to.have.deep.members(both)
      const { rows } = (await ask(who, '/audit')).body
      expect(marksIn(rows), who).to.have.deep.members(both)
    }
    const { body: page } = await ask('oscar', '/customers/alice')
    expect(marksIn(page.running)).to.have.deep.members(both)
    const now = (await account('alice', '/running')).body.impersonations
    expect(marksIn(now)).to.have.deep.members(both)
    await deployment.provider.impersonation.end(id)
    await deployment.settled()
    const past = (await account('alice', '/impersonations')).body.impersonations
    expect(marksIn(past)).to.deep.include(marked)
  })

  it('asks who may decide once, and reads the record three times, for each request and each decision', async () => {
    let calls = 0
    const kept = memoryAudit()
    let reads = 0
    const audit: typeof kept = {
      ...kept,
      permit(id) {
        reads += 1
        return kept.permit(id)
      },
    }
    await end()
    ahead = 0
    const approvers = () => {
      calls += 1
      return [{ id: 'grace' }]
    }
    permits = permitsWith({ audit, approvers }, () => Date.now() + ahead)
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
    const counted = async (who: string, path: string, body: object) => {
      calls = 0
      reads = 0
      const { status, body: answer } = await ask(who, path, body)
      expect([status, calls, reads], path).to.deep.equal([
        path === '/permits' ? 201 : 200,
        1,
        // To be found, and in the step that decides.
        path === '/permits' ? 1 : 3,
      ])
      return answer
    }
    const request = async () => (await counted('olivia', '/permits', ACT)).record.id
    const first = await request()
    const granted = await counted('grace', `/records/${first}/granted`, {})
    expect(granted.may).to.deep.equal(['revoked'])
    await counted('grace', `/records/${first}/revoked`, {})
    const refused = await counted('grace', `/records/${await request()}/declined`, {})
    expect(refused.may).to.deep.equal([])
    expect((await ask('olivia', '/records/junk/granted', {})).status).to.equal(404)
  })

  it('refuses another audit than the console has', () => {
    const options = {
      ...{ clientId: 'support-console', issueAs: 'support-backend', role: () => undefined },
      customers: { search: () => ({ customers: [], more: false }), get: () => undefined },
      applications: [
        {
          ...{ name: 'Shop', url: 'https://shop.example.com/', clientId: 'shop' },
          ...{ resource: 'urn:orders', scopes: { read: 'orders:read' } },
        },
      ],
      ...{ audit: memoryAudit(), permits },
    }
    const check = () => settingsOf(deployment.provider, options)
    expect(check).to.throw(
      TypeError,
      'options.permits must be made with the audit of options.audit',
    )
  })

  describe('of a customer', () => {
    it('are asked for, granted and taken back on the account page, by the customer alone', async () => {
      const id = await asked({ userId: 'bob' })
      const [own, ...others] = (await account('bob', '/records')).body.records
      expect(others).to.deep.equal([])
      expect(own).to.deep.include({ id, application: 'Shop', canChange: true, for: 600 })
      expect(own, 'the reason is the operator’s').not.to.have.property('reason')
      expect((await account('alice', '/records')).body.records).to.deep.equal([])
      expect((await account('alice', `/records/${id}/granted`, {})).status).to.equal(404)
      expect((await ask('grace', `/records/${id}/granted`, {})).status).to.equal(409)
      expect((await account('bob', `/records/${id}/granted`, {})).status).to.equal(204)
      const twice = await account('bob', `/records/${id}/granted`, {})
      expect(twice.body).to.have.all.keys('error', 'error_description')
      const running = await deployment.impersonate({ customer: 'bob' })
      const [granted] = (await account('bob', '/records')).body.records
      expect(granted).to.include({ id, state: 'granted' })
      expect((await account('bob', `/records/${id}/revoked`, {})).status).to.equal(204)
      expect((await deployment.provider.impersonation.get(running.id))?.state).to.equal('ended')
    })

    it('the standing answer is given, and taken back', async () => {
      const before = (await account('bob', '/records')).body.standing
      expect(before).to.deep.equal({ choice: 'rule' })
      const { body } = await account('bob', '/answer', { choice: 'allow' })
      expect(body.choice).to.equal('allow')
      const closed = await account('bob', '/answer', { choice: 'ask' })
      expect(closed.body.choice).to.equal('ask')
      expect((await account('bob', '/answer', { choice: 'ever' })).status).to.equal(400)
    })

    it('what the standing answer allowed leads to that answer', async () => {
      await account('bob', '/answer', { choice: 'allow' })
      const running = await deployment.impersonate({ customer: 'bob', access: 'read' })
      await deployment.settled()
      const { permit } = (await ask('ada', `/audit/${running.id}`)).body
      for (const who of ['ada', 'olivia']) {
        const { body } = await ask(who, `/records/${permit}`)
        expect(body.record, who).to.deep.include({ kind: 'answer', state: 'allow' })
        expect(body.record.customer.id).to.equal('bob')
        expect(body.impersonations.map(({ id }: { id: string }) => id)).to.deep.equal([running.id])
      }
      expect((await ask('oscar', `/records/${permit}`)).status).to.equal(404)
    })

    it('can always say no, whatever was said before', async () => {
      for (let times = 0; times < 60; times += 1)
        await account('bob', '/answer', { choice: 'allow' })
      expect((await account('bob', '/answer', { choice: 'allow' })).status).to.equal(429)
      const id = await asked({ userId: 'bob' }).catch(() => undefined)
      expect(id, 'it is open').to.equal(undefined)
      expect((await account('bob', '/answer', { choice: 'ask' })).status).to.equal(200)
      const refused = await asked({ userId: 'bob' })
      expect((await account('bob', `/records/${refused}/declined`, {})).status).to.equal(204)
    })

    it('I15: an impersonated token neither reads nor sets it', async () => {
      await account('bob', '/answer', { choice: 'allow' })
      const { accessToken } = await deployment.impersonate({ customer: 'bob' })
      for (const [path, body] of [
        ['/records', undefined],
        ['/answer', { choice: 'allow' }],
      ] as const) {
        const authorization = `Bearer ${accessToken}`
        const { status } = await askAccount(deployment.url, { authorization }, path, body)
        expect(status, path).to.equal(401)
      }
      expect((await permits.answer('bob')).choice).to.equal('allow')
    })
  })
})
