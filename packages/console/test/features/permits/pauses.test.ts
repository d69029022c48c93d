import { expect } from 'chai'
import { createRemoteJWKSet } from 'jose'
import type { Authorize } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import {
  InForceError,
  type Permits,
  type PermitsOptions,
} from 'oidc-provider-impersonation-console'
import { testOn } from '../../../../../test/adapters/servers.ts'
import { verify } from '../../../../verify/src/verify/verification.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { askAs } from '../../support/account.ts'
import { later } from '../../support/clock.ts'
import {
  type Answer,
  type Deployment,
  type DeploymentOptions,
  deploy,
} from '../../support/deployment.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { until } from '../notices/until.ts'

const DAY = 86_400_000

/** A change needs a second person; in Bob's account, Bob himself. */
const rule: Authorize = ({ account, scope = '' }) => {
  if (account.accountId === 'bob') return { needs: ['user'] }
  return scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true
}

/** Holds up what asked the rule, and has its answer. */
let held: { stage: string; reach: () => void; released: Promise<void> } | undefined

function hold(stage: 'exchange' | 'issue') {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  held = { stage, reach: reached.resolve, released: released.promise }
  return { reached: reached.promise, release: released.resolve }
}

/** The rule, whose answer may be held up. */
const holding =
  (authorize: Authorize): Authorize =>
  async (request) => {
    const verdict = await authorize(request)
    if (held?.stage === request.stage && request.isPreview !== true) {
      const { reach, released } = held
      held = undefined
      reach()
      await released
    }
    return verdict
  }

const ACT = {
  ...{ userId: 'alice', ticketId: 'SUP-123', reason: 'The address is wrong' },
  ...{ application: 'shop', access: 'read' },
}
const CHANGE = { ...ACT, access: 'change' }

const STORAGES = [
  { kind: 'sqlite', test: it },
  { kind: 'postgres', test: await testOn('PostgreSQL') },
] as const

const object = (at: Deployment, id: string, note?: string, who = 'alice') =>
  askAs(at, who, '/objection', { id, note })
const codeOf = ({ status, body }: Answer) => [status, body?.error]
const PAUSED = [403, 'stopped']

/** Exports everything as an auditor, and verifies it by the keys of the provider. */
async function expectWhole({ ask, issuer }: Deployment): Promise<{ permits: number }> {
  const { text } = await ask('ada', '/audit/entries.jsonl')
  async function* read() {
    yield Buffer.from(text)
  }
  return verify({ read, keys: createRemoteJWKSet(new URL(`${issuer}/jwks`)) })
}

describe('an objection', () => {
  let permits: Permits
  let deployment: Deployment
  let audit: FaultyAudit
  let approvers: { id: string; name?: string }[]

  async function begin(options: Partial<PermitsOptions> = {}): Promise<void> {
    audit = faultyAudit()
    approvers = [{ id: 'grace', name: 'Grace Lindqvist' }]
    const basis = { audit, standing: {}, approvers: () => approvers }
    permits = permitsWith({ ...basis, ...options }, () => Date.now())
    deployment = await deploy({
      audit,
      authorize: holding(permits.wrap(rule)),
      console: { permits },
    })
  }
  async function end(): Promise<void> {
    audit.failing = []
    await expectWhole(deployment)
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  }
  beforeEach(() => begin())
  afterEach(end)

  const ask = (who: string, path: string, body?: unknown) => deployment.ask(who, path, body)
  const stateOf = async (id: string) => (await deployment.provider.impersonation.get(id))?.state
  const act = (who = 'olivia', more: object = {}) =>
    ask(who, '/impersonations', { ...ACT, ...more })

  async function objected(): Promise<{ id: string; pause: string }> {
    const { id } = await deployment.impersonate({ access: 'read' })
    await deployment.settled()
    const answer = await object(deployment, id, 'I know of no ticket')
    expect(answer.status, answer.text).to.equal(200)
    const [pause] = (await permits.list({ kind: 'stop', customer: 'alice', isOpen: true })).records
    return { id, pause: pause?.id ?? expect.fail('there is no pause') }
  }

  it('ends what the operator runs for the customer, and nothing of others', async () => {
    const first = await deployment.impersonate({ access: 'read' })
    const second = await deployment.impersonate({ access: 'read', ticket: 'SUP-2' })
    const { body: waiting } = await act()
    const others = [
      await deployment.impersonate({ access: 'read', operator: 'oscar' }),
      await deployment.impersonate({ access: 'read', customer: 'carla' }),
    ]
    await deployment.settled()
    const { status, body } = await object(deployment, first.id)
    expect([status, body]).to.deep.equal([200, { isStopped: true, isEnded: true }])
    for (const { id } of [first, second]) expect(await stateOf(id)).to.equal('ended')
    expect(await deployment.exchange('olivia', waiting).catch(String)).to.match(/not exchanged/)
    for (const { id } of others) expect(await stateOf(id)).to.equal('active')
    expect((await deployment.provider.impersonation.get(first.id))?.end).to.deep.include({
      ...{ cause: 'user', by: { sub: 'alice' } },
    })
  })

  it('keeps the operator from start, continue and permits: 403 with one sentence', async () => {
    const { id } = await objected()
    const answers = [
      await act(),
      await ask('olivia', `/impersonations/${id}/continue`, {}),
      await ask('olivia', '/permits', { ...CHANGE }),
      await ask('olivia', '/permits/emergency', { ...CHANGE, emergency: 'Now' }),
    ]
    const row = (await ask('olivia', `/audit/${id}`)).body
    expect(row.objection).to.have.all.keys('at')
    for (const answer of answers) {
      expect(codeOf(answer), answer.text).to.deep.equal(PAUSED)
      expect(answer.body.error_description).to.match(/^the customer objected/)
      expect(answer.body.record).to.deep.include({ isMine: true, may: [] })
      expect(answer.text, 'the note is for who lifts it').not.to.include('I know of no ticket')
    }
    expect((await act('oscar')).status, 'another operator').to.equal(201)
    expect((await act('olivia', { userId: 'carla' })).status, 'another customer').to.equal(201)
    expect((await ask('olivia', '/customers/alice')).body.stop).to.include({ isMine: true })
    expect((await ask('oscar', '/customers/alice')).body).not.to.have.property('stop')
  })

  it('takes back what the operator asked for there, and nothing else: nobody approves it any more', async () => {
    const ids: string[] = []
    for (const [who, more] of [
      ['olivia', {}],
      ['olivia', { userId: 'carla' }],
      ['oscar', {}],
    ] as const) {
      ids.push((await ask(who, '/permits', { ...CHANGE, ...more })).body.record.id)
    }
    const { pause } = await objected()
    const states = await Promise.all(ids.map(async (id) => (await permits.get(id))?.state))
    expect(states).to.deep.equal(['revoked', 'requested', 'requested'])
    expect(codeOf(await ask('grace', `/records/${ids[0]}/granted`, {}))).to.deep.equal(PAUSED)
    await permits.lift(pause, { by: 'grace', note: 'Talked to both' })
    expect((await ask('olivia', '/permits', { ...CHANGE })).status, 'anew').to.equal(201)
  })

  it('I15: holds at issue and at the exchange for any backend that asks the provider', async () => {
    const issued = await act()
    const { pause } = await objected()
    const later = permits.wrap(() => true)
    const request = {
      account: { accountId: 'alice' },
      ...{ mayAct: { sub: 'olivia', clientId: 'shop' }, actor: undefined, software: undefined },
    }
    for (const stage of ['issue', 'exchange'] as const) {
      const asked = { ...request, stage } as Parameters<Authorize>[0]
      expect(await later(asked), stage).to.equal(false)
      expect(await later({ ...asked, mayAct: { sub: 'oscar' } })).to.equal(true)
      const acting = { ...asked, mayAct: undefined, actor: { sub: 'olivia' } }
      expect(await later(acting)).to.equal(false)
      const software = { ...acting, actor: undefined, software: 'olivia' }
      expect(await later(software), 'software of that name').to.equal(true)
    }
    await permits.lift(pause, { by: 'grace', note: 'Fine' })
    expect((await act()).status).to.equal(201)
    expect(issued.status).to.equal(201)
  })

  for (const stage of ['issue', 'exchange'] as const) {
    it(`I15: that comes while an ${stage} is under way leaves nothing that runs`, async () => {
      const { id } = await deployment.impersonate({ access: 'read' })
      await deployment.settled()
      const { body: handOver } = stage === 'exchange' ? await act() : { body: undefined }
      const held = hold(stage)
      const started = handOver ? deployment.exchange('olivia', handOver) : act()
      const outcome = started.catch(String)
      await held.reached
      expect((await object(deployment, id)).body).to.include({ isStopped: true, isEnded: true })
      held.release()
      const after = await outcome
      if (stage === 'issue') {
        const { subjectToken } = (after as Answer).body
        const exchanged = await deployment.exchange('olivia', { subjectToken }).catch(String)
        expect(exchanged).to.match(/not exchanged: .*access_denied/)
      } else {
        expect(after).to.match(/not exchanged/)
      }
      const query = { userId: 'alice', actor: 'olivia', state: 'active' } as const
      expect((await deployment.provider.impersonation.list(query)).items).to.deep.equal([])
    })
  }

  it('pauses no one where it began more than 30 days ago', async () => {
    const { id } = await deployment.impersonate({ access: 'read' })
    await deployment.settled()
    const { objected, status } = await later(31 * DAY, async () => {
      const answer = await object(deployment, id)
      return { objected: answer.body, status: answer.status }
    })
    expect([status, objected.isStopped, objected.isEnded]).to.deep.equal([200, false, true])
    expect((await permits.list({ kind: 'stop', isOpen: true })).records).to.deep.equal([])
  })

  it('is said once; after the pause was lifted, another one pauses again', async () => {
    const { id, pause } = await objected()
    expect(codeOf(await object(deployment, id))).to.deep.equal([409, 'already_objected'])
    await permits.lift(pause, { by: 'grace', note: 'Fine' })
    expect(codeOf(await object(deployment, id))).to.deep.equal([409, 'already_objected'])
    expect((await act()).status).to.equal(201)
    const again = await deployment.impersonate({ access: 'read' })
    await deployment.settled()
    expect((await object(deployment, again.id)).body.isStopped).to.equal(true)
    expect(codeOf(await act())).to.deep.equal(PAUSED)
  })

  it('can be said again where the pause could not be stored, and ends what runs in any case', async () => {
    const { id } = await deployment.impersonate({ access: 'read' })
    await deployment.settled()
    audit.failing = ['write']
    expect((await object(deployment, id)).status).to.equal(503)
    expect(await stateOf(id)).to.equal('ended')
    audit.failing = []
    await deployment.settled()
    expect((await object(deployment, id)).body.isStopped).to.equal(true)
    await deployment.settled()
    const { body } = await ask('grace', '')
    expect([body.inbox.records.length, body.inbox.alarms], 'it is one thing').to.deep.equal([1, []])
  })

  it('is finished by another process, where this one ended before what runs', async () => {
    const { id } = await deployment.impersonate({ access: 'read' })
    await deployment.settled()
    const { impersonation } = deployment.provider
    const { list } = impersonation
    let isAway = true
    Object.assign(impersonation, {
      list: (...args: Parameters<typeof list>) =>
        isAway ? Promise.reject(new Error('away')) : list.apply(impersonation, args),
    })
    const { body } = await object(deployment, id)
    expect(body).to.include({ isStopped: true, isEnded: false })
    isAway = false
    await until(async () => (await stateOf(id)) === 'ended')
  })

  describe('has a pause that', () => {
    it('leads see, and auditors, who lifts it and the operator, without the notes', async () => {
      const { id, pause } = await objected()
      for (const who of ['grace', 'ada', 'olivia']) {
        const { record, impersonations } = (await ask(who, `/records/${pause}`)).body
        expect(record, who).to.deep.include({ id: pause, impersonation: id, state: 'stopped' })
        expect(impersonations.map((row: { id: string }) => row.id)).to.deep.equal([id])
        expect(record.customer).to.include({ id: 'alice', name: 'Alice Ng' })
        expect(record.note, who).to.equal(who === 'olivia' ? undefined : 'I know of no ticket')
      }
      const found = (await ask('olivia', '/records?text=ticket')).body.records
      expect(found, 'nor finds by their words').to.deep.equal([])
      expect((await ask('oscar', `/records/${pause}`)).status).to.equal(404)
      expect((await ask('ada', `/records/${id}`)).status, 'no record').to.equal(404)
      const [own] = (await askAs(deployment, 'alice', '/records')).body.records
      expect(own).to.deep.include({ id: pause, operator: { id: 'olivia', name: 'Olivia Okafor' } })
      expect((await askAs(deployment, 'carla', '/records')).body.records).to.deep.equal([])
      expect((await permits.list({ customer: 'alice', kind: 'approval' })).records).to.eql([])
    })

    it('the deployment lifts in code, where there is no person who may', async () => {
      const { pause } = await objected()
      approvers = [{ id: 'olivia' }]
      const note = 'No one else works today'
      expect((await permits.lift(pause, { note })).said[0]).to.include({ event: 'lifted', note })
      expect((await act()).status).to.equal(201)
      const { status } = await ask('ada', `/records/${pause}`)
      expect(status, 'the page stays').to.equal(200)
    })

    it('is in the export of the customer, and erased with the rest, but not while it holds', async () => {
      const { id, pause } = await objected()
      let text = ''
      for await (const part of deployment.console.exportOf('alice')) text += part
      expect(text).to.include(`"id":"${pause}"`).and.include('support.stopped')
      const refusal = await deployment.console.erase('alice').catch((error: unknown) => error)
      if (!(refusal instanceof InForceError)) return expect.fail(String(refusal))
      expect(refusal.inForce).to.deep.include({ kind: 'permit', id: pause, why: 'stop' })
      await permits.lift(pause, { by: 'grace', note: 'Fine' })
      expect(await inForceOf(deployment)).not.to.include(pause)
      expect(await inForceOf(deployment), 'the objection is an open alarm').to.include(id)
    })
  })

  describe('a lead', () => {
    const hold = (more: object = {}, who = 'grace') =>
      ask(who, '/stops', { operator: 'olivia', note: 'Asked twice', ...more })

    it('ends what an operator runs, and keeps them from starting as any customer', async () => {
      const { id } = await deployment.impersonate({ access: 'read' })
      await deployment.settled()
      const { status, body } = await hold()
      expect(status).to.equal(201)
      expect(body).to.deep.include({ state: 'stopped', note: 'Asked twice' })
      expect(body.by).to.deep.include({ id: 'grace', name: 'Grace Lindqvist' })
      expect(body.operator).to.include({ id: 'olivia', name: 'Olivia Okafor' })
      expect(body).not.to.have.property('customer')
      const answers = [
        await act(),
        await act('olivia', { userId: 'carla' }),
        await ask('olivia', `/impersonations/${id}/continue`, {}),
        await ask('olivia', '/permits', { ...CHANGE }),
        await ask('olivia', '/permits/emergency', { ...CHANGE, emergency: 'Now' }),
      ]
      for (const answer of answers) {
        expect(codeOf(answer), answer.text).to.deep.equal(PAUSED)
        expect(answer.body.error_description).to.equal('a lead stopped the operator')
        expect(answer.body.record.by.name).to.equal('Grace Lindqvist')
        expect(answer.text, 'the note is for leads and auditors').not.to.include('Asked twice')
      }
      expect((await act('oscar')).status, 'another operator').to.equal(201)
      expect(await stateOf(id)).to.equal('ended')
    })

    it('I15: keeps what was handed over from starting, at the exchange and in any backend', async () => {
      const { body: waiting } = await act()
      await hold()
      expect(await deployment.exchange('olivia', waiting).catch(String)).to.match(/not exchanged/)
      await deployment.settled()
      expect((await deployment.provider.impersonation.get(waiting.id))?.end).to.deep.include({
        ...{ cause: 'requested', by: { sub: 'grace' } },
      })
      const request = { account: { accountId: 'carla' }, mayAct: { sub: 'olivia' } }
      for (const stage of ['issue', 'exchange']) {
        const asked = { ...request, stage } as Parameters<Authorize>[0]
        expect(await permits.wrap(() => true)(asked), stage).to.equal(false)
      }
    })

    it('stops once, and neither themselves nor nobody', async () => {
      const held = await hold()
      const again = await hold()
      expect([again.status, again.body.id]).to.deep.equal([200, held.body.id])
      expect(codeOf(await hold({ operator: 'grace' }))).to.deep.equal([403, 'access_denied'])
      expect(codeOf(await hold({ operator: 'nobody' }))).to.deep.equal([404, 'user_not_found'])
      for (const who of ['olivia', 'ada']) {
        expect(codeOf(await hold({ operator: 'oscar' }, who)), who).to.eql([403, 'access_denied'])
      }
      expect((await act('oscar')).status).to.equal(201)
    })

    it('pauses nobody who is no operator, and whoever acted also without a role', async () => {
      expect(codeOf(await hold({ operator: 'alice' }))).to.deep.equal([404, 'user_not_found'])
      // Who was refused has not acted.
      expect((await act('alice', { userId: 'carla' })).status).to.equal(403)
      await deployment.settled()
      expect(codeOf(await hold({ operator: 'alice' }))).to.deep.equal([404, 'user_not_found'])
      await deployment.impersonate({ operator: 'oscar', access: 'read' })
      await deployment.settled()
      for (const who of ['olivia', 'oscar']) deployment.roles.delete(who)
      expect(codeOf(await hold())).to.deep.equal([404, 'user_not_found'])
      expect((await hold({ operator: 'oscar' })).status).to.equal(201)
      deployment.faults.roles = true
      expect((await hold({ operator: 'olivia' })).status).to.equal(503)
      deployment.faults.roles = false
    })

    it('pauses once, where two leads do it at the same moment', async () => {
      deployment.roles.set('oscar', 'lead')
      const answers = await Promise.all([hold(), hold({}, 'oscar')])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 201])
      expect((await permits.list({ kind: 'stop', isOpen: true })).records).to.have.length(1)
    })
  })

  describe('at a console without permits', () => {
    let plain: Deployment
    beforeEach(async () => {
      plain = await deploy({ authorize: holding(() => true), audit: memoryAudit() })
    })
    afterEach(async () => {
      await expectWhole(plain)
      await plain[Symbol.asyncDispose]()
    })

    it('pauses the operator there, and a lead who is not the operator lifts it', async () => {
      const running = await plain.impersonate()
      await plain.settled()
      const { body } = await object(plain, running.id)
      expect(body).to.deep.equal({ isStopped: true, isEnded: true })
      expect(codeOf(await plain.ask('olivia', '/impersonations', ACT))).to.deep.equal(PAUSED)
      expect(
        codeOf(await plain.ask('olivia', `/impersonations/${running.id}/continue`, {})),
      ).to.deep.equal(PAUSED)
      const [pause] = await plain.console.stops({ customer: 'alice' })
      const id = pause?.id ?? ''
      for (const by of ['oscar', 'olivia', 'ada', 'nobody']) {
        plain.roles.set('olivia', 'lead')
        const error = await plain.console
          .lift(id, { by, note: 'Me' })
          .catch((each: unknown) => each)
        expect(error, by).to.include({ error: 'access_denied' })
      }
      const lifted = await plain.ask('grace', `/records/${id}/lifted`, { note: 'Talked to both' })
      expect(lifted.status).to.equal(200)
      expect((await plain.ask('olivia', '/impersonations', ACT)).status).to.equal(201)
    })

    it('a lead pauses the operator there, and lifts it; what was handed over never starts', async () => {
      const { body: waiting } = await plain.ask('olivia', '/impersonations', ACT)
      const held = await plain.ask('grace', '/stops', { operator: 'olivia' })
      expect(held.status).to.equal(201)
      expect(await plain.exchange('olivia', waiting).catch(String)).to.match(/not exchanged/)
      expect(codeOf(await plain.ask('olivia', '/impersonations', ACT))).to.deep.equal(PAUSED)
      const lifted = await plain.ask('grace', `/records/${held.body.id}/lifted`, { note: 'Fine' })
      expect(lifted.status).to.equal(200)
      expect((await plain.ask('olivia', '/impersonations', ACT)).status).to.equal(201)
    })

    it('a pause by a lead while an issue is under way ends it in the name of the lead', async () => {
      const held = hold('issue')
      const started = plain.ask('olivia', '/impersonations', ACT)
      await held.reached
      expect((await plain.ask('grace', '/stops', { operator: 'olivia' })).status).to.equal(201)
      held.release()
      expect(codeOf(await started)).to.deep.equal(PAUSED)
      const { items } = await plain.provider.impersonation.list({ userId: 'alice' })
      expect(items.map(({ end }) => [end?.cause, end?.by?.sub])).to.eql([['requested', 'grace']])
    })

    it('that comes while an issue is under way leaves nothing that can be redeemed', async () => {
      const { id } = await plain.impersonate()
      await plain.settled()
      const held = hold('issue')
      const started = plain.ask('olivia', '/impersonations', ACT)
      await held.reached
      expect((await object(plain, id)).body.isStopped).to.equal(true)
      held.release()
      expect(codeOf(await started)).to.deep.equal(PAUSED)
      const { items } = await plain.provider.impersonation.list({ userId: 'alice' })
      expect(items.map(({ state }) => state)).to.deep.equal(['ended', 'ended'])
    })
  })

  for (const { kind, test } of STORAGES) {
    test(`pauses in two processes: one pause, in both at once, and one lift: ${kind}`, async () => {
      await using storage = await newPlace(kind)
      const adapter = createMemoryAdapter()
      const [one, two] = [await beginAt(storage.place), await beginAt(storage.place)]
      async function beginAt(place: string) {
        const { store, close } = await storeAt(kind, place)
        const own = permitsWith({ audit: store, approvers: () => [{ id: 'grace' }] }, Date.now)
        const options: DeploymentOptions = { audit: store, adapter, authorize: own.wrap(rule) }
        return { own, close, ...(await deploy({ ...options, console: { permits: own } })) }
      }
      try {
        const ids: string[] = []
        for (const ticket of ['SUP-1', 'SUP-2', 'SUP-3', 'SUP-4']) {
          ids.push((await one.impersonate({ access: 'read', ticket })).id)
        }
        await one.settled()
        const answers = await Promise.all(
          ids.map((id, index) => object(index % 2 === 0 ? one : two, id)),
        )
        expect(answers.map(({ status, body }) => [status, body.isStopped])).to.deep.equal(
          ids.map(() => [200, true]),
        )
        for (const each of [one, two]) {
          expect(codeOf(await each.ask('olivia', '/impersonations', ACT))).to.deep.equal(PAUSED)
        }
        const { records: pauses } = await two.own.list({ kind: 'stop', isOpen: true })
        expect(pauses).to.have.length(1)
        const lift = (each: typeof one) =>
          each.ask('grace', `/records/${pauses[0]?.id}/lifted`, { note: 'Fine' })
        const lifted = await Promise.all([lift(one), lift(two)])
        expect(lifted.map(({ status }) => status).toSorted()).to.deep.equal([200, 409])
        expect((await two.ask('olivia', '/impersonations', ACT)).status).to.equal(201)
        expect((await two.ask('ada', '/audit/entries.jsonl')).text).to.include('support.lifted')
      } finally {
        for (const each of [one, two]) {
          await each.own.close()
          await each[Symbol.asyncDispose]()
          await each.close()
        }
      }
    })
  }
})

/** What `console.erase` says is in the way. */
async function inForceOf({ console: support }: Deployment): Promise<readonly string[]> {
  const refusal = await support.erase('alice').catch((error: unknown) => error)
  return refusal instanceof InForceError ? refusal.inForce.map(({ id }) => id) : []
}
