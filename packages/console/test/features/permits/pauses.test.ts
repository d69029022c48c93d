import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { renewed } from '../../../../../test/support/shared.ts'
import { onEachKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import { rejection } from '../../ledger/stores/contract/support.ts'
import { ACT } from '../../support/acting.ts'
import { later } from '../../support/clock.ts'
import { type Answer, type Deployment, deploy } from '../../support/deployment.ts'
import { expectProblem, expectStatus, idsOf } from '../../support/expect-answer.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { hold, holding } from '../../support/held-rule.ts'
import { takeAway } from '../../support/take-away.ts'
import { expectWholeExport } from '../../support/whole-export.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'
import { until } from '../notices/until.ts'

const DAY = 86_400_000

const CHANGE = { ...ACT, access: 'change' }
const NOTE = { note: 'Talked to both' }
const LOOK = { access: 'read' } as const

const object = (at: Deployment, id: string, note?: string) =>
  at.account('alice', '/objection', { id, note })
const expectStopped = (answer: Answer) => expectProblem(answer, 403, 'stopped')

describe('an objection', () => {
  let audit: FaultyAudit
  let approvers: { id: string; name?: string }[]
  afterEach(async () => {
    audit.failing = []
    await expectWholeExport(deployment)
  })
  const deployment = renewed(() => {
    audit = faultyAudit()
    approvers = [{ id: 'grace', name: 'Grace Lindqvist' }]
    const permits = { approvers: () => approvers }
    return deployWithPermits(RULE, { audit, permits, around: holding })
  })

  const ask = (who: string, path: string, body?: unknown) => deployment.ask(who, path, body)
  const act = (who = 'olivia', more: object = {}) =>
    ask(who, '/impersonations', { ...ACT, ...more })
  const lift = (id: string) => deployment.permits.lift(id, { by: 'grace', ...NOTE })
  const openStops = async () =>
    (await deployment.permits.list({ kind: 'stop', isOpen: true })).records
  const startFailure = async (handOver: { subjectToken: string }) =>
    String(await rejection(deployment.exchange('olivia', handOver)))

  const started = async (at: Deployment = deployment) => (await at.impersonate(LOOK)).id

  async function objected() {
    const id = await started()
    const answer = await object(deployment, id, 'I know of no ticket')
    expectStatus(answer, 200, answer.text)
    const [pause] = await openStops()
    return { id, pause: pause?.id ?? expect.fail('there is no pause') }
  }

  /** Whatever Olivia may begin as Alice. */
  const attempts = (id: string) =>
    Promise.all([
      act(),
      ask('olivia', `/impersonations/${id}/continue`, {}),
      ask('olivia', '/permits', CHANGE),
      ask('olivia', '/permits/emergency', { ...CHANGE, emergency: 'Now' }),
    ])

  /** Asks the rule for a backend of the provider, at both stages. */
  async function rulesFor(request: object) {
    const rule = deployment.permits.wrap(() => true)
    return Promise.all(
      ['issue', 'exchange'].map((stage) =>
        rule({ account: { accountId: 'alice' }, stage, ...request } as Parameters<Authorize>[0]),
      ),
    )
  }

  it('ends what the operator runs for the customer, and nothing of others', async () => {
    const first = await deployment.impersonate(LOOK)
    const second = await deployment.impersonate({ ...LOOK, ticket: 'SUP-2' })
    const { body: waiting } = await act()
    const others = [
      await deployment.impersonate({ ...LOOK, operator: 'oscar' }),
      await deployment.impersonate({ ...LOOK, customer: 'carla' }),
    ]
    const { status, body } = await object(deployment, first.id)
    expect([status, body]).to.deep.equal([200, { isStopped: true, isEnded: true }])
    for (const { id } of [first, second]) expect(await deployment.stateOf(id)).to.equal('ended')
    expect(await startFailure(waiting)).to.match(/not exchanged/)
    for (const { id } of others) expect(await deployment.stateOf(id)).to.equal('active')
    const running = await deployment.provider.impersonation.get(first.id)
    expect(running?.end).to.deep.include({ cause: 'user', by: { sub: 'alice' } })
  })

  it('keeps the operator from start, continue and permits: 403 with one sentence', async () => {
    const { id } = await objected()
    const row = (await ask('olivia', `/audit/${id}`)).body
    expect(row.objection).to.have.all.keys('at')
    for (const answer of await attempts(id)) {
      expectStopped(answer)
      expect(answer.body.error_description).to.match(/^the customer objected/)
      expect(answer.body.record).to.deep.include({ isMine: true, may: [] })
      expect(answer.text, 'the note is for who lifts it').not.to.include('I know of no ticket')
    }
    expectStatus(await act('oscar'), 201, 'another operator')
    expectStatus(await act('olivia', { userId: 'carla' }), 201, 'another customer')
    expect((await ask('olivia', '/customers/alice')).body.stop).to.include({ isMine: true })
    expect((await ask('oscar', '/customers/alice')).body).not.to.have.property('stop')
  })

  it('takes back what the operator asked for there, and nothing else: nobody approves it any more', async () => {
    const ids = [
      await deployment.request(),
      await deployment.request({ customer: 'carla' }),
      await deployment.request({ operator: 'oscar' }),
    ]
    const { pause } = await objected()
    const { permits } = deployment
    const states = await Promise.all(ids.map(async (id) => (await permits.get(id))?.state))
    expect(states).to.deep.equal(['revoked', 'requested', 'requested'])
    expectStopped(await ask('grace', `/records/${ids[0]}/granted`, {}))
    await lift(pause)
    expectStatus(await ask('olivia', '/permits', CHANGE), 201, 'anew')
  })

  it('I15: holds at issue and at the exchange for any backend that asks the provider', async () => {
    const { pause } = await objected()
    const mayAct = { sub: 'olivia', clientId: 'shop' }
    for (const [request, expected] of [
      [{ mayAct }, false],
      [{ mayAct: { sub: 'oscar' } }, true],
      [{ actor: { sub: 'olivia' } }, false],
      // Software of that name.
      [{ software: 'olivia' }, true],
    ] as const) {
      const answers = await rulesFor(request)
      expect(answers, JSON.stringify(request)).to.deep.equal([expected, expected])
    }
    await lift(pause)
    expectStatus(await act(), 201)
  })

  for (const stage of ['issue', 'exchange'] as const) {
    it(`I15: that comes while an ${stage} is under way leaves nothing that runs`, async () => {
      const id = await started()
      const { body: handOver } = stage === 'exchange' ? await act() : { body: undefined }
      const held = hold(stage)
      const outcome = handOver ? startFailure(handOver) : act()
      await held.reached
      expect((await object(deployment, id)).body).to.include({ isStopped: true, isEnded: true })
      held.release()
      const after = await outcome
      if (typeof after === 'string') expect(after).to.match(/not exchanged/)
      else expect(await startFailure(after.body)).to.match(/not exchanged: .*access_denied/)
      const query = { userId: 'alice', actor: 'olivia', state: 'active' } as const
      expect((await deployment.provider.impersonation.list(query)).items).to.deep.equal([])
    })
  }

  it('pauses no one where it began more than 30 days ago', async () => {
    const id = await started()
    const { status, body } = await later(31 * DAY, () => object(deployment, id))
    expect([status, body]).to.deep.equal([200, { isStopped: false, isEnded: true }])
    expect(await openStops()).to.deep.equal([])
  })

  it('is said once; after the pause was lifted, another one pauses again', async () => {
    const { id, pause } = await objected()
    await lift(pause)
    expectProblem(await object(deployment, id), 409, 'already_objected')
    expectStatus(await act(), 201)
    expect((await object(deployment, await started())).body.isStopped).to.equal(true)
    expectStopped(await act())
  })

  it('can be said again where the pause could not be stored, and ends what runs in any case', async () => {
    const id = await started()
    audit.failing = ['write']
    expectStatus(await object(deployment, id), 503)
    expect(await deployment.stateOf(id)).to.equal('ended')
    audit.failing = []
    await deployment.settled()
    expect((await object(deployment, id)).body.isStopped).to.equal(true)
    const { body } = await ask('grace', '')
    expect([body.inbox.records.length, body.inbox.alarms], 'it is one thing').to.deep.equal([1, []])
  })

  it('is finished by another process, where this one ended before what runs', async () => {
    const id = await started()
    const bringBack = takeAway(deployment, 'list')
    const { body } = await object(deployment, id)
    expect(body).to.include({ isStopped: true, isEnded: false })
    bringBack()
    await until(async () => (await deployment.stateOf(id)) === 'ended')
  })

  describe('has a pause that', () => {
    it('leads see, and auditors, who lifts it and the operator, without the notes', async () => {
      const { id, pause } = await objected()
      for (const who of ['grace', 'ada', 'olivia']) {
        const { record, impersonations } = (await ask(who, `/records/${pause}`)).body
        expect(record, who).to.deep.include({ id: pause, impersonation: id, state: 'stopped' })
        expect(idsOf(impersonations)).to.deep.equal([id])
        expect(record.customer).to.include({ id: 'alice', name: 'Alice Ng' })
        expect(record.note, who).to.equal(who === 'olivia' ? undefined : 'I know of no ticket')
      }
      const found = (await ask('olivia', '/records?text=ticket')).body.records
      expect(found, 'nor finds by their words').to.deep.equal([])
      expectStatus(await ask('oscar', `/records/${pause}`), 404)
      expectStatus(await ask('ada', `/records/${id}`), 404, 'no record')
      const recordsOf = async (who: string) => (await deployment.accountOf(who)).records
      const [own] = (await recordsOf('alice')).records
      expect(own).to.deep.include({ id: pause, operator: { id: 'olivia', name: 'Olivia Okafor' } })
      expect((await recordsOf('carla')).records).to.deep.equal([])
    })

    it('the deployment lifts in code, where there is no person who may', async () => {
      const { pause } = await objected()
      approvers = [{ id: 'olivia' }]
      const { said } = await deployment.permits.lift(pause, NOTE)
      expect(said[0]).to.include({ event: 'lifted', ...NOTE })
      expectStatus(await act(), 201)
      expectStatus(await ask('ada', `/records/${pause}`), 200, 'the page stays')
    })
  })

  describe('a lead', () => {
    const stop = (more: object = {}, who = 'grace') =>
      ask(who, '/stops', { operator: 'olivia', note: 'Asked twice', ...more })

    it('ends what an operator runs, and keeps them from starting as any customer', async () => {
      const id = await started()
      const { status, body } = await stop()
      expect(status).to.equal(201)
      expect(body).to.deep.include({ state: 'stopped', note: 'Asked twice' })
      expect(body.by).to.deep.include({ id: 'grace', name: 'Grace Lindqvist' })
      expect(body.operator).to.include({ id: 'olivia', name: 'Olivia Okafor' })
      expect(body).not.to.have.property('customer')
      for (const answer of [await act('olivia', { userId: 'carla' }), ...(await attempts(id))]) {
        expectStopped(answer)
        expect(answer.body.error_description).to.equal('a lead stopped the operator')
        expect(answer.body.record.by.name).to.equal('Grace Lindqvist')
        expect(answer.text, 'the note is for leads and auditors').not.to.include('Asked twice')
      }
      expectStatus(await act('oscar'), 201, 'another operator')
      expect(await deployment.stateOf(id)).to.equal('ended')
    })

    it('I15: keeps what was handed over from starting, at the exchange and in any backend', async () => {
      const { body: waiting } = await act()
      await stop()
      expect(await startFailure(waiting)).to.match(/not exchanged/)
      await deployment.settled()
      const handedOver = await deployment.provider.impersonation.get(waiting.id)
      expect(handedOver?.end).to.deep.include({ cause: 'requested', by: { sub: 'grace' } })
      expect(await rulesFor({ mayAct: { sub: 'olivia' } })).to.deep.equal([false, false])
    })

    it('stops once, neither themselves nor who is no operator, and whoever acted also without a role', async () => {
      const first = await stop()
      const again = await stop()
      expect([again.status, again.body.id]).to.deep.equal([200, first.body.id])
      expectProblem(await stop({ operator: 'grace' }), 403, 'access_denied')
      for (const who of ['olivia', 'ada']) {
        expectProblem(await stop({ operator: 'oscar' }, who), 403, 'access_denied', who)
      }
      // A refused person has not acted.
      expectStatus(await act('alice', { userId: 'carla' }), 403)
      await deployment.impersonate({ operator: 'oscar', access: 'read' })
      for (const who of ['olivia', 'oscar']) deployment.roles.delete(who)
      for (const operator of ['nobody', 'alice', 'olivia']) {
        expectProblem(await stop({ operator }), 404, 'user_not_found', operator)
      }
      expectStatus(await stop({ operator: 'oscar' }), 201)
      deployment.faults.roles = true
      expectStatus(await stop(), 503)
      deployment.faults.roles = false
    })

    it('pauses once, where two leads do it at the same moment', async () => {
      deployment.roles.set('oscar', 'lead')
      const answers = await Promise.all([stop(), stop({}, 'oscar')])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 201])
      expect(await openStops()).to.have.length(1)
    })
  })

  describe('at a console without permits', () => {
    afterEach(() => expectWholeExport(plain))
    const plain = renewed(() => deploy({ authorize: holding(() => true) }))
    const start = () => plain.ask('olivia', '/impersonations', ACT)
    const stop = () => plain.ask('grace', '/stops', { operator: 'olivia' })
    async function expectLifted(id = '') {
      expectStatus(await plain.ask('grace', `/records/${id}/lifted`, NOTE), 200)
      expectStatus(await start(), 201)
    }

    it('pauses the operator there, and a lead who is not the operator lifts it', async () => {
      const running = await started(plain)
      const { body } = await object(plain, running)
      expect(body).to.deep.equal({ isStopped: true, isEnded: true })
      expectStopped(await start())
      const goOn = await plain.ask('olivia', `/impersonations/${running}/continue`, {})
      expectStopped(goOn)
      const [{ id = '' } = {}] = await plain.console.stops({ customer: 'alice' })
      plain.roles.set('olivia', 'lead')
      for (const by of ['oscar', 'olivia', 'ada', 'nobody']) {
        const error = await rejection(plain.console.lift(id, { by, note: 'Me' }))
        expect(error, by).to.include({ error: 'access_denied' })
      }
      await expectLifted(id)
    })

    it('a lead pauses the operator there, and lifts it; what was handed over never starts', async () => {
      const { body: waiting } = await start()
      const held = await stop()
      expectStatus(held, 201)
      expect(String(await rejection(plain.exchange('olivia', waiting)))).to.match(/not exchanged/)
      expectStopped(await start())
      await expectLifted(held.body.id)
    })

    for (const [what, pause, ends] of [
      ['a pause by a lead', () => stop(), ['ended requested grace']],
      [
        'an objection',
        async () => object(plain, await started(plain)),
        Array(2).fill('ended user alice'),
      ],
    ] as const) {
      it(`${what}, while an issue is under way, ends it in the name of who said it`, async () => {
        const held = hold('issue')
        const begun = start()
        await held.reached
        expect((await pause()).status).to.be.oneOf([200, 201])
        held.release()
        expectStopped(await begun)
        const { items } = await plain.provider.impersonation.list({ userId: 'alice' })
        const told = items.map(({ state, end }) => `${state} ${end?.cause} ${end?.by?.sub}`)
        expect(told).to.deep.equal(ends)
      })
    }
  })

  onEachKind.it(
    'pauses in two processes: one pause, in both at once, and one lift',
    async (kind, place) => {
      const adapter = createMemoryAdapter()
      const beginAt = async () => {
        const { store, close } = await storeAt(kind, place)
        return { close, at: await deployWithPermits(RULE, { audit: store, adapter }) }
      }
      const [first, second] = [await beginAt(), await beginAt()]
      const both = [first.at, second.at] as const
      const [one, two] = both
      try {
        const ids: string[] = []
        for (const ticket of ['SUP-1', 'SUP-2', 'SUP-3', 'SUP-4']) {
          ids.push((await one.impersonate({ ...LOOK, ticket })).id)
        }
        const answers = await Promise.all(
          ids.map((id, index) => object(index % 2 === 0 ? one : two, id)),
        )
        expect(answers.map(({ status, body }) => [status, body.isStopped])).to.deep.equal(
          ids.map(() => [200, true]),
        )
        for (const each of both) {
          expectStopped(await each.ask('olivia', '/impersonations', ACT))
        }
        const { records: pauses } = await two.permits.list({ kind: 'stop', isOpen: true })
        expect(pauses).to.have.length(1)
        const lifted = await Promise.all(
          both.map((each) => each.ask('grace', `/records/${pauses[0]?.id}/lifted`, NOTE)),
        )
        expect(lifted.map(({ status }) => status).toSorted()).to.deep.equal([200, 409])
        expectStatus(await two.ask('olivia', '/impersonations', ACT), 201)
        expect((await two.ask('ada', '/audit/entries.jsonl')).text).to.include('support.lifted')
      } finally {
        for (const { at, close } of [first, second]) {
          await at[Symbol.asyncDispose]()
          await close()
        }
      }
    },
  )
})
