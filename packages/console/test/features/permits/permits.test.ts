import { hash } from 'node:crypto'
import { expect } from 'chai'
import {
  type ApprovalRequired,
  type Authorize,
  type BindingMember,
  TooManyRequests,
  type Verdict,
} from 'oidc-provider-impersonation'
import type { Batch } from 'oidc-provider-impersonation-console'
import {
  type AttachOptions,
  type PermitAlert,
  PermitError,
  type PermitRequest,
  type Permits,
  type PermitsOptions,
  type Shown,
} from 'oidc-provider-impersonation-console'
import type { ConsolePermits } from '../../../src/features/permits/server/options.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import type { RowAnswer } from '../../../src/web/answers.ts'
import { assertWholeLog } from '../../ledger/stores/contract/support.ts'
import { later } from '../../support/clock.ts'
import { type Answer, type Deployment, deploy } from '../../support/deployment.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { MACHINE } from '../../support/provider.ts'
import { providerAt } from '../../support/provider-at.ts'
import { warningsOf } from '../../support/warnings.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const READ = 'orders:read'
const CHANGE = 'orders:read orders:write'

/** What the rule says of a customer, where a test says so. */
const ruled = new Map<string, Verdict>()

/** A change needs a second person, and Bob is asked himself. */
const rule: Authorize = ({ account, scope = '' }) => {
  const verdict = ruled.get(account.accountId)
  if (verdict !== undefined) return verdict
  if (account.accountId === 'bob') return { needs: ['user'] }
  const needs = ['second_person'] as const
  return scope.includes('orders:write') ? { needs, emergency: account.accountId === 'alice' } : true
}

const AS = { issueAs: MACHINE.clientId }

describe('permits', () => {
  let audit: FaultyAudit
  let permits: ConsolePermits
  let deployment: Deployment
  let approvers: { id: string; name: string }[]
  let told: PermitAlert[]

  async function begin(options: Partial<PermitsOptions> = {}): Promise<void> {
    audit = faultyAudit()
    ruled.clear()
    approvers = [
      { id: 'grace', name: 'Grace Lindqvist' },
      { id: 'olivia', name: 'Olivia Okafor' },
      { id: 'alice', name: 'Alice Ng' },
    ]
    told = []
    permits = permitsWith({
      window: 600,
      ...{ audit, approvers: () => approvers, onPermit: (alert) => told.push(alert) },
      ...options,
    })
    deployment = await deploy({ audit, authorize: permits.wrap(rule) })
    permits.attach(deployment.provider, AS)
  }

  beforeEach(() => begin())
  afterEach(async () => {
    audit.failing = []
    await assertWholeLog(audit)
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  const asked = (more: Partial<PermitRequest> = {}): PermitRequest => ({
    ...{ customer: 'alice', operator: 'olivia', application: 'shop' },
    ...{ resource: `${deployment.url}/orders`, scope: CHANGE },
    ...{ ticket: 'SUP-123', reason: 'The address is wrong' },
    ...more,
  })

  async function granted(more: Partial<PermitRequest> = {}): Promise<Shown> {
    const { id } = await permits.request(asked(more))
    return permits.decide(id, 'granted', { by: 'grace' })
  }

  const act = (more: object = {}, operator = 'olivia'): Promise<Answer> =>
    deployment.ask(operator, '/impersonations', {
      ...{ userId: 'alice', ticketId: 'SUP-123', reason: 'The address is wrong' },
      ...{ application: 'shop', access: 'change' },
      ...more,
    })

  async function refusal(work: Promise<unknown>): Promise<PermitError> {
    const error = await work.then(
      () => expect.fail('it is allowed'),
      (error: unknown) => error,
    )
    return error instanceof PermitError ? error : expect.fail(String(error))
  }
  const codeOf = async (work: Promise<unknown>) => (await refusal(work)).error

  it('let an operator act once a second person has granted, with the id from request to end', async () => {
    const before = await act()
    expect([before.status, before.body.error]).to.deep.equal([403, 'approval_required'])
    expect((await act({ access: 'read' })).status, 'what needs no one').to.equal(201)
    const { id, state } = await permits.request(asked())
    expect(state).to.equal('requested')
    expect((await act()).status, 'asked is not granted').to.equal(403)
    const permit = await permits.decide(id, 'granted', { by: 'grace', note: 'Saw the ticket' })
    expect(permit).to.include({ id, state: 'granted', until: (permit.grantedAt ?? 0) + 600_000 })
    expect(permit.said[0]).to.deep.include({ event: 'granted', need: 'second_person' })
    const { id: running } = await deployment.impersonate({ ticket: 'SUP-123' })
    expect(await deployment.provider.impersonation.get(running)).to.include({ permit: id })
    expect((await act()).status, 'one approval covers several starts').to.equal(201)
    await until(async () => told.length === 2)
    expect(told.map(({ kind }) => kind)).to.deep.equal(['requested', 'granted'])
    expect(told.at(-1)?.permit).to.include({ id, state: 'granted' })
    expect(told.at(-1)?.permit).to.not.have.any.keys('alert', 'notice')
    expect(told.at(-1)?.timeMs).to.equal(told.at(-1)?.permit.grantedAt)
    expect(new Set(told.map((each) => each.id)).size).to.equal(2)
  })

  it('I15: are for their ticket, however it is written, and for no other', async () => {
    await granted()
    expect((await act({ ticketId: 'SUP-999' })).status, 'another ticket').to.equal(403)
    for (const ticketId of ['sup-123', 'SUP - 123', 'ＳＵＰ-123']) {
      expect((await act({ ticketId })).status, ticketId).to.equal(201)
    }
    const { body: handOver } = await act()
    const { id } = await deployment.exchange('olivia', handOver)
    expect((await deployment.provider.impersonation.get(id))?.state).to.equal('active')
  })

  it('take the ticket from where the deployment says', async () => {
    await begunAnew({ ticketOf: ({ context }) => String(context.reason) })
    await granted({ ticket: 'The address is wrong' })
    expect((await act({ ticketId: 'SUP-7' })).status).to.equal(201)
    expect((await act({ reason: 'Another' })).status).to.equal(403)
  })

  it('fit no start without a ticket, and the cause names the option', async () => {
    for (const ticket of [undefined, '', ' ', 7]) {
      await begunAnew({ ticketOf: () => ticket as undefined })
      await granted()
      expect((await act()).body.error, String(ticket)).to.equal('approval_required')
      const request = {
        ...{ userId: 'alice', scope: CHANGE, resource: `${deployment.url}/orders` },
        ...{ mayAct: { sub: 'olivia', clientId: 'shop' }, context: { ticketId: 'SUP-123' } },
      }
      const issue = deployment.provider.impersonation.issue(request, { as: MACHINE.clientId })
      const { error, cause } = await issue.then(
        () => expect.fail('it is allowed'),
        (failure: ApprovalRequired) => failure,
      )
      expect([error, String(cause)]).to.deep.equal([
        'approval_required',
        'Error: options.ticketOf of createPermits answers no ticket: no permit fits',
      ])
    }
  })

  it('cap the time of the access token by the end of the window', async () => {
    const { until = 0 } = await granted()
    const { id } = await deployment.impersonate({ duration: 600 })
    const object = await deployment.provider.impersonation.get(id)
    expect(object?.expiresAt).to.be.at.most(Math.floor(until / 1000))
  })

  it('cap the time of the access token by the duration that was approved', async () => {
    await granted({ duration: 120 })
    const { id } = await deployment.impersonate({ duration: 600 })
    const { expiresAt = 0, startedAt = 0 } = (await deployment.provider.impersonation.get(id)) ?? {}
    expect(expiresAt - startedAt).to.be.within(119, 120)
  })

  it('fit no request that is not bound enough: the cause and one warning name what it has to send', async () => {
    const resource = `${deployment.url}/orders`
    const bound = { sub: 'olivia', clientId: 'shop' }
    const warnings = await warningsOf(async () => {
      for (const [mayAct, resources, told] of [
        [{ clientId: 'shop' }, [resource], 'it lacks mayAct.sub, the operator'],
        [{ sub: 'olivia' }, [resource], 'it lacks mayAct.clientId, the application'],
        [
          bound,
          [resource, `${resource}/more`],
          'it asks for several resources, and a permit is for one resource',
        ],
      ] as const) {
        for (let times = 0; times < 2; times += 1) {
          const issue = deployment.provider.impersonation.issue(
            { userId: 'alice', scope: CHANGE, mayAct, resource: resources },
            { as: MACHINE.clientId },
          )
          const { error, cause } = await issue.then(
            () => expect.fail('it is allowed'),
            (failure: ApprovalRequired) => failure,
          )
          expect([error, String(cause)]).to.deep.equal([
            'approval_required',
            `Error: no permit fits this request, whatever is approved: ${told}`,
          ])
        }
      }
    })
    expect(warnings.map(({ code }) => code)).to.deep.equal(Array(3).fill('PERMITS_UNBOUND'))
    expect(warnings[1]?.message)
      .to.include('it lacks mayAct.clientId')
      .and.to.include('has to send')
  })

  it('say at the start that requests get through which no permit can fit, and what to write', async () => {
    const attached = (requireBinding: BindingMember[], more: AttachOptions = {}) =>
      warningsOf(async () => {
        const own = permitsWith({ audit: faultyAudit(), approvers: () => approvers })
        const provider = await providerAt('https://id.example', undefined, { requireBinding })
        own.attach(provider, { ...AS, ...more })
        own.attach(provider, { ...AS, ...more })
        await own.close()
      })
    const [said, ...more] = await attached(['expiresIn', 'mayAct'])
    expect([said?.code, more]).to.deep.equal(['PERMITS_UNBOUND', []])
    expect(said?.message)
      .to.include('managementApi.requireBinding lacks resource, scope')
      .and.to.include("requireBinding: ['expiresIn', 'mayAct', 'resource', 'scope']")
    expect(await attached(['mayAct', 'resource', 'scope'])).to.deep.equal([])
    expect(await attached([], { isBound: true })).to.deep.equal([])
  })

  it('I15: allow no other customer, operator, application, wider scope or time', async () => {
    ruled.set('alice', { needs: ['second_person'] })
    await granted({ scope: READ })
    expect((await act()).status, 'a wider scope').to.equal(403)
    await granted({ customer: 'carla' })
    expect((await act()).status, 'another customer').to.equal(403)
    await granted({ operator: 'oscar' })
    expect((await act()).status, 'another operator').to.equal(403)
    await granted({ application: 'other' })
    expect((await act()).status, 'another application').to.equal(403)
    await granted({ resource: `${deployment.url}/other` })
    expect((await act()).status, 'another resource').to.equal(403)
    await begunAnew()
    await granted()
    expect((await act()).status).to.equal(201)
    expect((await later(600 * SECOND, () => act())).status, 'expired').to.equal(403)
  })

  async function begunAnew(options?: Partial<PermitsOptions>): Promise<void> {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
    await begin(options)
  }

  it('I15: are decided by who is an approver in that moment, never by who asks or the customer', async () => {
    const { id } = await permits.request(asked())
    for (const by of ['olivia', 'oscar']) {
      expect(await codeOf(permits.decide(id, 'granted', { by })), by).to.equal('access_denied')
    }
    // The customer is no second person, also where the directory says so.
    expect(await codeOf(permits.decide(id, 'granted', { by: 'alice' }))).to.equal('decided')
    approvers = []
    expect(await codeOf(permits.decide(id, 'granted', { by: 'grace' })), 'removed').to.equal(
      'access_denied',
    )
    approvers = [{ id: 'oscar', name: 'Oscar' }]
    expect((await permits.decide(id, 'granted', { by: 'oscar' })).state, 'added').to.equal(
      'granted',
    )
    approvers = []
    expect((await act()).status, 'what was granted stays').to.equal(201)
  })

  it('say at once that there is no person who could decide', async () => {
    approvers = [{ id: 'olivia', name: 'Olivia Okafor' }]
    expect(await codeOf(permits.request(asked()))).to.equal('no_approver')
  })

  it('need the customer where the rule asks the customer, and both where it asks both', async () => {
    ruled.set('bob', { needs: ['second_person', 'user'] })
    const { id } = await permits.request(asked({ customer: 'bob' }))
    const one = await permits.decide(id, 'granted', { by: 'bob' })
    expect(one.state, 'one of two').to.equal('requested')
    expect((await act({ userId: 'bob' })).status).to.equal(403)
    const both = await permits.decide(id, 'granted', { by: 'grace' })
    expect(both.state).to.equal('granted')
    expect(both.until, 'the clock starts at the last').to.equal((both.said[1]?.at ?? 0) + 600_000)
    expect((await act({ userId: 'bob' })).status).to.equal(201)
  })

  it('I15: are decided once: the first decision counts, a refusal is final', async () => {
    const { id } = await permits.request(asked())
    const answers = await Promise.allSettled([
      permits.decide(id, 'granted', { by: 'grace' }),
      permits.decide(id, 'declined', { by: 'grace' }),
      permits.decide(id, 'granted', { by: 'grace' }),
    ])
    const [won, ...others] = answers.toSorted((a) => (a.status === 'fulfilled' ? -1 : 1))
    expect(won?.status).to.equal('fulfilled')
    for (const other of others) {
      expect(other.status === 'rejected' && other.reason).to.include({ error: 'decided' })
    }
  })

  describe('that an approver refused', () => {
    const emergency = (more?: Partial<PermitRequest>) =>
      permits.emergency({ ...asked(more), why: 'It cannot wait' })
    async function refused(): Promise<void> {
      const { id } = await permits.request(asked())
      await permits.decide(id, 'declined', { by: 'grace', note: 'Call them first' })
    }

    it('keep from no request, and are none of another customer', async () => {
      await refused()
      for (const more of [{}, { ticket: 'SUP-9', application: 'other' }, { operator: 'oscar' }]) {
        expect((await permits.request(asked(more))).state).to.equal('requested')
      }
      const other = await permits.request(asked({ ticket: 'SUP-9', customer: 'carla' }))
      expect(await permits.refusals(other)).to.deep.equal([])
    })

    it('stand in the way of an emergency of the same ticket, and mark one of another', async () => {
      await refused()
      const { error, retryAfter } = await refusal(emergency({ ticket: 'sup - 123' }))
      expect(error).to.equal('refused_lately')
      expect(retryAfter).to.be.within(86_300, 86_400)
      const permit = await emergency({ ticket: 'SUP-9' })
      expect(permit.declined).to.have.length(1)
      expect(await permits.refusals(permit)).to.have.length(1)
    })

    it('make an emergency one alarm, however many starts, until a person has looked at it', async () => {
      await refused()
      // Nothing is read from what a rule wrote.
      const review = 'emergency; after a refusal'
      ruled.set('alice', { needs: ['second_person'], emergency: true, review })
      const { id } = await emergency({ ticket: 'SUP-9' })
      await deployment.impersonate({ ticket: 'SUP-9' })
      await deployment.impersonate({ ticket: 'SUP-9' })
      ruled.set('carla', { review })
      await deployment.impersonate({ customer: 'carla' })
      const shown = async () => {
        await deployment.settled()
        const { rows } = (await deployment.ask('grace', '/audit?when=any')).body
        const { inbox } = (await deployment.ask('grace', '')).body
        return {
          marks: rows.map((row: RowAnswer) => [row.unapproved, row.isReviewDue, row.alarm]),
          waits: [...inbox.records, ...inbox.alarms].map((each) => each.id),
        }
      }
      const marked = ['after_refusal', true, undefined]
      const none = [undefined, undefined, undefined]
      expect(await shown()).to.deep.equal({ marks: [none, marked, marked], waits: [id] })
      await permits.decide(id, 'reviewed', { by: 'grace', note: 'Saw it' })
      const seen = ['after_refusal', false, undefined]
      expect(await shown()).to.deep.equal({ marks: [none, seen, seen], waits: [] })
      await until(async () => told.some(({ kind }) => kind === 'reviewed'))
      expect(told.filter(({ kind }) => kind === 'emergency')).to.have.length(1)
    })

    it('are not overwritten by a no of the customer at the same time', async () => {
      ruled.set('alice', { needs: ['user', 'second_person'] })
      const { id } = await permits.request(asked())
      await permits.decide(id, 'granted', { by: 'alice' })
      const other = permitsWith({ audit, standing: {}, approvers: () => approvers })
      other.attach(deployment.provider, AS)
      const said = [
        permits.decide(id, 'declined', { by: 'grace' }).then(
          () => 'refused',
          () => 'late',
        ),
        other.answer('alice', 'ask'),
      ] as const
      const [refusal] = await Promise.all(said)
      const state = (await permits.get(id))?.state
      expect(state).to.equal(refusal === 'refused' ? 'declined' : 'revoked')
      await other.close()
    })
  })

  it('that the customer refused hold for a day and every ticket, of this operator and application', async () => {
    const { id } = await permits.request(asked({ customer: 'bob' }))
    await permits.decide(id, 'declined', { by: 'bob' })
    const again = () => permits.request(asked({ customer: 'bob', ticket: 'SUP-9' }))
    const { error, retryAfter } = await refusal(again())
    expect(error).to.equal('refused_lately')
    expect(retryAfter).to.be.within(86_300, 86_400)
    for (const more of [{ operator: 'oscar' }, { application: 'other' }]) {
      const other = await permits.request(asked({ customer: 'bob', ...more }))
      expect(other.state).to.equal('requested')
    }
    expect((await later(24 * HOUR, again)).state).to.equal('requested')
  })

  it('are asked for 60 times in an hour, withdrawn ones counted, also at once and at two processes', async () => {
    const other = permitsWith({ audit, approvers: () => approvers })
    other.attach(deployment.provider, AS)
    const ask = async (at: Permits, ticket: string) => {
      const { id } = await at.request(asked({ ticket }))
      await at.decide(id, 'revoked', { by: 'olivia' })
    }
    for (let times = 0; times < 29; times += 1) {
      await ask(permits, `SUP-${times}`)
      await ask(other, `SUP-${times}`)
    }
    const customers = ['alice', 'carla', 'amir.ng', 'amir.okoye', 'amir.quist']
    const atOnce = customers.map((customer) => permits.request(asked({ customer })))
    const done = (await Promise.allSettled(atOnce)).filter(({ status }) => status === 'fulfilled')
    expect(done).to.have.length(2)
    const { error, statusCode, retryAfter } = await refusal(other.request(asked()))
    expect([error, statusCode]).to.deep.equal(['temporarily_unavailable', 429])
    expect(retryAfter).to.be.within(3500, 3600)
    expect((await permits.request(asked({ operator: 'oscar' }))).state).to.equal('requested')
    await later(HOUR, () => permits.request(asked({ ticket: 'SUP-99' }))).catch(
      (failure: PermitError) => expect(failure.error).to.equal('already_requested'),
    )
    await other.close()
  })

  it('are asked for once, and lapse where they are not decided', async () => {
    const { id } = await permits.request(asked())
    const { error, permit } = await refusal(permits.request(asked()))
    expect([error, permit?.id]).to.deep.equal(['already_requested', id])
    await later(24 * HOUR - 60 * SECOND, () => permits.get(id)).then((found) =>
      expect(found?.state).to.equal('requested'),
    )
    await later(24 * HOUR, async () => {
      expect((await permits.get(id))?.state).to.equal('lapsed')
      expect(await codeOf(permits.decide(id, 'granted', { by: 'grace' }))).to.equal('decided')
      expect((await permits.request(asked())).id).not.to.equal(id)
    })
  })

  it('open nothing early where the clock was set back', async () => {
    const permit = await later(HOUR, () => granted())
    expect(permit.state).to.equal('granted')
    expect((await act()).status).to.equal(403)
  })

  it('I15: that are revoked allow nothing any more, burn nothing, and end what runs at every API', async () => {
    const { id } = await granted()
    const running = await deployment.impersonate()
    const { body: handOver } = await act()
    expect(await running.look()).to.equal(200)
    expect(await codeOf(permits.decide(id, 'revoked', { by: 'oscar' }))).to.equal('access_denied')
    const revoked = await permits.decide(id, 'revoked', { by: 'grace', note: 'Wrong ticket' })
    expect(revoked).to.include({ state: 'revoked' })
    expect((await act()).status).to.equal(403)
    expect(await deployment.exchange('olivia', handOver).catch(String)).to.include('not exchanged')
    const object = await deployment.provider.impersonation.get(running.id)
    expect(object?.end).to.deep.include({
      ...{ cause: 'requested', by: { sub: 'grace' }, reason: 'Wrong ticket' },
    })
    const deadline = Date.now() + 8 * SECOND
    while ((await running.look()) !== 401) expect(Date.now()).to.be.below(deadline)
    expect(await codeOf(permits.decide(id, 'revoked', { by: 'grace' })), 'once').to.equal('decided')
  })

  for (const isAnew of [false, true]) {
    const when = isAnew ? ', also after they were closed and attached again' : ''
    it(`that another process revoked before it was killed are finished${when}`, async () => {
      if (isAnew) {
        await permits.close()
        permits.attach(deployment.provider, AS)
      }
      await expectFinished()
    })
  }

  async function expectFinished(): Promise<void> {
    const { id } = await granted()
    const { id: running } = await deployment.impersonate()
    // A process that writes the entry, and ends nothing.
    const { impersonation } = deployment.provider
    const killed = permitsWith({ audit, approvers: () => approvers })
    const other = await providerAt('https://other.example')
    Object.assign(other.impersonation, { endAll: never })
    killed.attach(other)
    void killed.decide(id, 'revoked', { by: 'grace' })
    await until(async () => (await impersonation.get(running))?.end !== undefined)
    await Promise.race([killed.close(), Promise.resolve()])
  }

  it('I14: that are revoked end also what was under way, and is issued a little later', async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
    audit = faultyAudit()
    permits = permitsWith({ audit, approvers: () => approvers })
    const wrapped = permits.wrap(rule)
    const [slow, asking] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isSlow = false
    deployment = await deploy({
      audit,
      async authorize(request) {
        const verdict = await wrapped(request)
        if (isSlow) {
          asking.resolve()
          await slow.promise
        }
        return verdict
      },
    })
    permits.attach(deployment.provider, AS)
    const { id } = await granted()
    const { impersonation } = deployment.provider
    const request = {
      ...{ userId: 'alice', scope: CHANGE, resource: `${deployment.url}/orders` },
      ...{ mayAct: { sub: 'olivia', clientId: 'shop' }, context: { ticketId: 'SUP-123' } },
    }
    const { endAll } = impersonation
    let passes = 0
    impersonation.endAll = async (...args) => {
      const ended = await endAll.apply(impersonation, args)
      passes += 1
      return ended
    }
    isSlow = true
    const issuing = impersonation.issue(request, { as: MACHINE.clientId })
    await asking.promise
    await permits.decide(id, 'revoked', { by: 'grace' })
    // The revocation itself, and a look afterwards.
    await until(async () => passes >= 2)
    slow.resolve()
    const issued = hash('sha256', (await issuing).subjectToken, 'base64url')
    await until(async () => (await impersonation.get(issued))?.state === 'ended')
    // The plugin ends what comes within seconds. It is looked at for longer.
    await until(async () => passes >= 3)
  })

  it('that expire while a subject token waits refuse the exchange, and burn nothing', async () => {
    await granted()
    const { body: handOver } = await act()
    const late = await later(600 * SECOND, () =>
      deployment.exchange('olivia', handOver).catch(String),
    )
    expect(late).to.be.a('string')
    expect(await deployment.exchange('olivia', handOver)).to.have.property('accessToken')
  })

  it('say 503 where the storage does not answer, and nothing is written later', async () => {
    const { id } = await permits.request(asked())
    audit.failing = ['write']
    const { error, statusCode } = await refusal(permits.decide(id, 'granted', { by: 'grace' }))
    expect([error, statusCode]).to.deep.equal(['temporarily_unavailable', 503])
    audit.failing = ['permits', 'permit', 'permitsInForce']
    expect(await codeOf(permits.decide(id, 'granted', { by: 'grace' }))).to.equal(
      'temporarily_unavailable',
    )
    expect((await act()).status, 'what cannot be read is no').to.equal(503)
    audit.failing = []
    expect((await permits.get(id))?.state).to.equal('requested')
    expect((await permits.decide(id, 'granted', { by: 'grace' })).state).to.equal('granted')
  })

  it('say 503 within the time of the storage, however many wait, and do none of them later', async () => {
    const ids: string[] = []
    for (const customer of ['alice', 'carla', 'bea.okoye', 'chen.petrov']) {
      ids.push((await permits.request(asked({ customer }))).id)
    }
    await permits.close()
    const reached: string[] = []
    const slow: typeof audit = new Proxy(audit, {
      get(target, name) {
        if (name !== 'write') return Reflect.get(target, name)
        return ({ sums }: Batch) => {
          reached.push(...sums.map(({ id }) => id))
          return new Promise(() => {})
        }
      },
    })
    const own = permitsWith({ audit: slow, approvers: () => approvers, timeout: 0.4 })
    own.attach(deployment.provider, AS)
    const all = ids.map((id) => codeOf(own.decide(id, 'granted', { by: 'grace' })))
    expect(await Promise.all(all)).to.deep.equal(ids.map(() => 'temporarily_unavailable'))
    expect(new Set(reached), 'those that waited are not begun').to.deep.equal(new Set([ids[0]]))
    await own.close()
  })

  describe('of an emergency', () => {
    const emergency = () => permits.emergency({ ...asked(), why: 'It cannot wait' })

    it('are granted at once where the rule allows it, and stand in the object for review', async () => {
      const permit = await emergency()
      expect(permit).to.include({ kind: 'emergency', state: 'granted' })
      const { id } = await deployment.impersonate()
      const object = await deployment.provider.impersonation.get(id)
      expect(object).to.include({ permit: permit.id, review: 'emergency' })
      const request = asked({ customer: 'bob', operator: 'oscar' })
      expect(
        await codeOf(permits.emergency({ ...request, why: 'It cannot wait' })),
        'not allowed for bob',
      ).to.equal('access_denied')
      ruled.set('alice', { needs: ['second_person'] })
      expect((await act()).status, 'where the rule allows none any more').to.equal(403)
    })

    it('are one at a time, until an approver has reviewed it', async () => {
      const both = await Promise.allSettled([emergency(), emergency()])
      expect(both.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      expect(await codeOf(later(HOUR, emergency))).to.equal('review_due')
      const [{ id = '' } = {}] = (await permits.list({ kind: 'emergency' })).records
      await permits.decide(id, 'reviewed', { by: 'grace', note: 'It was needed' })
      expect((await later(HOUR, emergency)).state).to.equal('granted')
    })
  })

  it('ask the rule first: what it refuses or does not need is not asked for, and no one is bothered', async () => {
    ruled.set('alice', false)
    expect(await codeOf(permits.request(asked()))).to.equal('access_denied')
    const emergency = asked()
    expect(await codeOf(permits.emergency({ ...emergency, why: 'It cannot wait' }))).to.equal(
      'access_denied',
    )
    ruled.set('alice', true)
    expect(await refusal(permits.request(asked()))).to.include({
      ...{ error: 'not_needed', statusCode: 409 },
    })
    expect(await codeOf(permits.emergency({ ...emergency, why: 'It cannot wait' }))).to.equal(
      'not_needed',
    )
    ruled.set('alice', { needs: ['user', 'second_person'] })
    const claimed = { ...asked(), needs: ['second_person'] }
    expect((await permits.request(claimed)).needs, 'as the rule says').to.deep.equal([
      ...['second_person', 'user'],
    ])
    await until(async () => told.length > 0)
    expect(told.map(({ kind }) => kind)).to.deep.equal(['requested'])
  })

  it('say 503 where the rule fails or does not answer, within the time of the storage', async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
    audit = faultyAudit()
    permits = permitsWith({ audit, approvers: () => approvers, timeout: 0.2 })
    let answer: () => Promise<Verdict> = () => Promise.reject(new Error('out of order'))
    deployment = await deploy({ audit, authorize: permits.wrap(() => answer()) })
    permits.attach(deployment.provider, AS)
    expect(await codeOf(permits.request(asked()))).to.equal('temporarily_unavailable')
    answer = () => new Promise(() => {})
    expect(await codeOf(permits.request(asked()))).to.equal('temporarily_unavailable')
  })

  it('are of one provider, and keep the order of time where the clock was set back', async () => {
    const other = await providerAt('https://other.example')
    expect(() => permits.attach(other)).to.throw(TypeError, 'attached already')
    const { id, requestedAt } = await later(HOUR, () => permits.request(asked()))
    const { said, grantedAt } = await permits.decide(id, 'granted', { by: 'grace' })
    expect([said[0]?.at, grantedAt]).to.deep.equal([requestedAt, requestedAt])
  })

  it('throw before they are attached, and where impersonations cannot be ended', async () => {
    const alone = permitsWith({ audit, approvers: () => approvers })
    await alone.request(asked()).then(
      () => expect.fail('it is allowed'),
      (error: unknown) => expect(String(error)).to.include('attach'),
    )
    expect(() => alone.attach({ impersonation: { canEnd: false } } as never)).to.throw(TypeError)
    await alone.close()
  })

  it('are entries of chains that verify, also after an answer that was lost, and a race', async () => {
    let fault: 'answer' | 'outage' | 'race' | undefined
    const write: typeof audit.write = async (batch, deadline) => {
      const kind = fault
      fault = undefined
      if (kind === 'race') return { is: 'changed' }
      if (kind === 'outage') throw new Error('nothing is stored')
      const written = await audit.write(batch, deadline)
      if (kind === 'answer') throw new Error('the answer is lost')
      return written
    }
    const store = new Proxy(audit, {
      get: (target, name) => (name === 'write' ? write : Reflect.get(target, name)),
    })
    const own = permitsWith({ audit: store, approvers: () => approvers })
    own.attach(deployment.provider, AS)
    const [{ id }, other] = [
      await own.request(asked()),
      await own.request(asked({ customer: 'carla' })),
    ]
    fault = 'race'
    expect((await own.decide(id, 'granted', { by: 'grace' })).state).to.equal('granted')
    fault = 'answer'
    expect(
      (await own.decide(other.id, 'granted', { by: 'grace' })).state,
      'it is looked up',
    ).to.equal('granted')
    fault = 'outage'
    expect((await own.decide(id, 'revoked', { by: 'grace' })).state).to.equal('revoked')
    await assertWholeLog(audit)
    await own.close()
  })

  describe('that wrap finds', () => {
    const question = (more: object = {}) => ({
      ...{ account: { accountId: 'alice' }, mayAct: { sub: 'olivia', clientId: 'shop' } },
      ...{ actor: { sub: 'olivia' }, resource: `${deployment.url}/orders`, scope: CHANGE },
      ...{ context: { ticketId: 'SUP-123' }, stage: 'exchange', ...more },
    })
    // The rule of the tests reads these members alone.
    const askRule = (more?: object) => permits.wrap(rule)(question(more) as never)

    it('I15: are not for software that acts for the operator', async () => {
      await granted()
      expect(await askRule()).to.have.property('permit')
      expect(await askRule({ software: 'copilot' })).to.have.property('needs')
    })

    it('count the one whose window ends last', async () => {
      const short = await granted()
      ruled.set('alice', { needs: ['second_person', 'user'] })
      const { id } = await permits.request(asked())
      await permits.decide(id, 'granted', { by: 'alice' })
      const long = await permits.decide(id, 'granted', { by: 'grace' })
      ruled.delete('alice')
      expect(await askRule()).to.include({ permit: long.id })
      expect(short.id).to.not.equal(long.id)
      await permits.decide(long.id, 'revoked', { by: 'grace' })
      expect(await askRule()).to.include({ permit: short.id })
    })

    it('nothing where the rule says that it is asked too often: the caller is told so', async () => {
      const tooMany = new TooManyRequests(9)
      const throttled: Authorize = () => Promise.reject(tooMany)
      const answer = permits.wrap(throttled)(question() as never)
      expect(await Promise.resolve(answer).catch((error: unknown) => error)).to.equal(tooMany)
    })

    it('open nothing in the last second of the window', async () => {
      const { until = 0 } = await granted()
      const answer = await later(until - Date.now() - 500, async () => askRule())
      expect(answer).to.have.property('needs')
    })
  })

  it('are no impersonations in lists', async () => {
    const { id } = await granted()
    const { body } = await deployment.ask('ada', '/audit')
    expect(body.rows).to.deep.equal([])
    const entries = await audit.timeline(id, { limit: 10 })
    expect(entries.map(({ text = '{}' }) => JSON.parse(text).event)).to.deep.equal([
      'support.requested',
      'support.granted',
    ])
  })
})

const never = () => new Promise<number>(() => {})

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15 * SECOND
  while (!(await holds())) {
    if (Date.now() > deadline) expect.fail('it does not come')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
