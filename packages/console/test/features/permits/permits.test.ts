import { hash } from 'node:crypto'
import { expect } from 'chai'
import {
  type Authorize,
  type BindingMember,
  TooManyRequests,
  type Verdict,
} from 'oidc-provider-impersonation'
import {
  type AttachOptions,
  type PermitAlert,
  PermitError,
  type PermitRequest,
  type Permits,
  type PermitsOptions,
} from 'oidc-provider-impersonation-console'
import { warnings } from '../../../../../test/support/warnings.ts'
import type { ConsolePermits } from '../../../src/features/permits/server/permits.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import type { RowAnswer } from '../../../src/web/answers.ts'
import { interceptCalls, rejection } from '../../ledger/stores/contract/support.ts'
import { ACT } from '../../support/acting.ts'
import { begunAnew } from '../../support/begun-anew.ts'
import { later } from '../../support/clock.ts'
import { expectProblem, idsOf } from '../../support/expect-answer.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { hold, holding } from '../../support/held-rule.ts'
import { MACHINE } from '../../support/provider.ts'
import { providerAt } from '../../support/provider-at.ts'
import { takeAway } from '../../support/take-away.ts'
import { deployWithPermits, type PermitsDeployment, RULE } from '../../support/with-permits.ts'
import { until } from '../notices/until.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

/** Verdicts of the rule about a customer, as a test sets them. */
const ruled = new Map<string, Verdict>()

const rule: Authorize = (request) => ruled.get(request.account.accountId) ?? RULE(request)

const AS = { issueAs: MACHINE.clientId }

describe('permits', () => {
  let audit: FaultyAudit
  let permits: ConsolePermits
  let deployment: PermitsDeployment
  let approvers: { id: string; name: string }[]
  let told: PermitAlert[]

  afterEach(() => {
    audit.failing = []
  })
  const begin = begunAnew(
    async (options: Partial<PermitsOptions> = {}, wrapped: Authorize = rule) => {
      audit = faultyAudit()
      ruled.clear()
      approvers = [
        { id: 'grace', name: 'Grace Lindqvist' },
        { id: 'olivia', name: 'Olivia Okafor' },
        { id: 'alice', name: 'Alice Ng' },
      ]
      told = []
      const onPermit = (alert: PermitAlert) => told.push(alert)
      const usual = { approvers: () => approvers, onPermit, standing: undefined, window: 600 }
      deployment = await deployWithPermits(wrapped, {
        audit,
        around: holding,
        permits: { ...usual, ...options },
      })
      permits = deployment.permits
      return deployment
    },
  )

  /** The permits of another process. */
  function another(options: Partial<PermitsOptions> = {}) {
    const made = permitsWith({ audit, approvers: () => approvers, ...options })
    made.attach(deployment.provider, AS)
    return made
  }

  const asked = (more?: Partial<PermitRequest>) => deployment.asked(more)
  const request = (more?: Partial<PermitRequest>) => permits.request(asked(more))
  const granted = (more?: Partial<PermitRequest>) => deployment.granted(more)
  const emergency = (more?: Partial<PermitRequest>) => deployment.emergency(more)
  const decide = (id: string, event: 'declined' | 'granted' | 'revoked', by = 'grace') =>
    permits.decide(id, event, { by })
  const act = (more: object = {}) =>
    deployment.ask('olivia', '/impersonations', { ...ACT, access: 'change', ...more })
  const statusOfAct = async (more?: object) => (await act(more)).status

  const issue = (more: object = {}) => {
    const { customer: userId, resource, scope } = asked()
    const mayAct = { sub: 'olivia', clientId: 'shop' }
    const facts = { userId, resource, scope, mayAct, context: { ticketId: 'SUP-123' } }
    return deployment.provider.impersonation.issue({ ...facts, ...more }, { as: MACHINE.clientId })
  }
  async function expectUnapproved(cause: string, more?: object) {
    const error = await rejection(issue(more))
    expect(error).to.include({ error: 'approval_required' })
    expect(error).to.have.nested.property('cause.message', cause)
  }

  async function refusal(work: Promise<unknown>) {
    const error = await rejection(work)
    return error instanceof PermitError ? error : expect.fail(`it is no refusal: ${error}`)
  }
  const codeOf = async (work: Promise<unknown>) => (await refusal(work)).error

  it('let an operator act once a second person has granted, with the id from request to end', async () => {
    expectProblem(await act(), 403, 'approval_required')
    expect(await statusOfAct({ access: 'read' }), 'what needs no one').to.equal(201)
    const { id, state } = await request()
    expect(state).to.equal('requested')
    expect(await statusOfAct(), 'asked is not granted').to.equal(403)
    const permit = await permits.decide(id, 'granted', { by: 'grace', note: 'Saw the ticket' })
    expect(permit).to.include({ id, state: 'granted', until: (permit.grantedAt ?? 0) + 600_000 })
    expect(permit.said[0]).to.deep.include({ event: 'granted', need: 'second_person' })
    const { id: running } = await deployment.impersonate()
    expect(await deployment.provider.impersonation.get(running)).to.include({ permit: id })
    expect(await statusOfAct(), 'one approval covers several starts').to.equal(201)
    await until(() => told.length === 2)
    expect(told.map(({ kind }) => kind)).to.deep.equal(['requested', 'granted'])
    expect(told[1]?.permit).to.include({ id, state: 'granted' })
    expect(told[1]?.permit).to.not.have.any.keys('alert', 'notice')
    expect(told[1]?.timeMs).to.equal(told[1]?.permit.grantedAt)
    expect(told[0]?.id).to.not.equal(told[1]?.id)
  })

  it('I15: are for their ticket, however it is written, and for no other', async () => {
    await granted()
    expect(await statusOfAct({ ticketId: 'SUP-999' }), 'another ticket').to.equal(403)
    for (const ticketId of ['sup-123', 'SUP - 123', 'ＳＵＰ-123']) {
      expect(await statusOfAct({ ticketId }), ticketId).to.equal(201)
    }
    const { id } = await deployment.exchange('olivia', (await act()).body)
    expect(await deployment.stateOf(id)).to.equal('active')
  })

  it('take the ticket from where the deployment says', async () => {
    await begin({ ticketOf: ({ context }) => String(context.reason) })
    await granted({ ticket: 'The address is wrong' })
    expect(await statusOfAct({ ticketId: 'SUP-7', reason: 'The address is wrong' })).to.equal(201)
    expect(await statusOfAct()).to.equal(403)
  })

  it('fit no start without a ticket, and the cause names the option', async () => {
    for (const ticket of [undefined, '', ' ', 7]) {
      await begin({ ticketOf: () => ticket as undefined })
      await granted()
      await expectUnapproved('options.ticketOf of createPermits answers no ticket: no permit fits')
    }
  })

  it('cap the time of the access token by the end of the window, and by the duration that was approved', async () => {
    await begin({ window: 300 })
    const { until = 0 } = await granted()
    const start = async (ticket: string) => {
      const { id } = await deployment.impersonate({ ticket, duration: 600 })
      const { expiresAt = 0, startedAt = 0 } =
        (await deployment.provider.impersonation.get(id)) ?? {}
      return { expiresAt, seconds: expiresAt - startedAt }
    }
    expect((await start('SUP-123')).expiresAt).to.be.at.most(Math.floor(until / 1000))
    await granted({ ticket: 'SUP-9', duration: 120 })
    expect((await start('SUP-9')).seconds).to.be.within(119, 120)
  })

  it('fit no request that is not bound enough: the cause and one warning name what it has to send', async () => {
    const { resource } = asked()
    using given = warnings()
    for (const [more, lacks] of [
      [{ mayAct: { clientId: 'shop' } }, 'it lacks mayAct.sub, the operator'],
      [{ mayAct: { sub: 'olivia' } }, 'it lacks mayAct.clientId, the application'],
      [
        { resource: [resource, `${resource}/more`] },
        'it asks for several resources, and a permit is for one resource',
      ],
    ] as const) {
      const cause = `no permit fits this request, whatever is approved: ${lacks}`
      for (let times = 0; times < 2; times += 1) await expectUnapproved(cause, more)
    }
    await new Promise(setImmediate)
    expect(given.told.map(({ code }) => code)).to.deep.equal(Array(3).fill('PERMITS_UNBOUND'))
    expect(given.told[1]?.message)
      .to.include('it lacks mayAct.clientId')
      .and.to.include('has to send')
  })

  it('say at the start that requests get through which no permit can fit, and what to write', async () => {
    const attached = async (requireBinding: BindingMember[], more: AttachOptions = {}) => {
      using given = warnings()
      const own = permitsWith({ audit: faultyAudit(), approvers: () => approvers })
      const provider = await providerAt('https://id.example', undefined, { requireBinding })
      own.attach(provider, { ...AS, ...more })
      own.attach(provider, { ...AS, ...more })
      await own.close()
      await new Promise(setImmediate)
      return given.told
    }
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
    for (const other of [
      { scope: 'orders:read' },
      { customer: 'carla' },
      { operator: 'oscar' },
      { application: 'other' },
      { resource: `${deployment.url}/other` },
    ]) {
      await granted(other)
      expect(await statusOfAct(), JSON.stringify(other)).to.equal(403)
    }
    await begin()
    await granted()
    expect(await statusOfAct()).to.equal(201)
    expect(await later(600 * SECOND, statusOfAct), 'expired').to.equal(403)
  })

  it('I15: are decided by who is an approver in that moment, never by who asks or the customer', async () => {
    const { id } = await request()
    for (const by of ['olivia', 'oscar']) {
      expect(await codeOf(decide(id, 'granted', by)), by).to.equal('access_denied')
    }
    // The customer is no second person, also where the directory says so.
    expect(await codeOf(decide(id, 'granted', 'alice'))).to.equal('decided')
    approvers = []
    expect(await codeOf(decide(id, 'granted')), 'removed').to.equal('access_denied')
    approvers = [{ id: 'oscar', name: 'Oscar' }]
    expect((await decide(id, 'granted', 'oscar')).state, 'added').to.equal('granted')
    approvers = []
    expect(await statusOfAct(), 'what was granted stays').to.equal(201)
  })

  it('say at once that there is no person who could decide', async () => {
    approvers = [{ id: 'olivia', name: 'Olivia Okafor' }]
    expect(await codeOf(request())).to.equal('no_approver')
  })

  it('need the customer where the rule asks the customer, and both where it asks both', async () => {
    ruled.set('bob', { needs: ['second_person', 'user'] })
    const { id } = await request({ customer: 'bob' })
    expect((await decide(id, 'granted', 'bob')).state, 'one of two').to.equal('requested')
    expect(await statusOfAct({ userId: 'bob' })).to.equal(403)
    const both = await decide(id, 'granted')
    expect(both.state).to.equal('granted')
    expect(both.until, 'the clock starts at the last').to.equal((both.said[1]?.at ?? 0) + 600_000)
    expect(await statusOfAct({ userId: 'bob' })).to.equal(201)
  })

  it('I15: are decided once: the first decision counts, a refusal is final', async () => {
    const { id } = await request()
    const words = ['granted', 'declined', 'granted'] as const
    const answers = await Promise.allSettled(words.map((word) => decide(id, word)))
    const lost = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.error] : []))
    expect(lost).to.deep.equal(['decided', 'decided'])
  })

  describe('that an approver refused', () => {
    const refused = async () => decide((await request()).id, 'declined')

    it('keep from no request, and are none of another customer', async () => {
      await refused()
      for (const more of [{}, { ticket: 'SUP-9', application: 'other' }, { operator: 'oscar' }]) {
        expect((await request(more)).state).to.equal('requested')
      }
      const other = await request({ ticket: 'SUP-9', customer: 'carla' })
      const { body } = await deployment.ask('grace', `/records/${other.id}`)
      expect(body.record).to.not.have.property('declinedBefore')
    })

    it('stand in the way of an emergency of the same ticket, and mark one of another', async () => {
      await refused()
      const { error, retryAfter } = await refusal(emergency({ ticket: 'sup - 123' }))
      expect(error).to.equal('refused_lately')
      expect(retryAfter).to.be.within(86_300, 86_400)
      const permit = await emergency({ ticket: 'SUP-9' })
      expect(permit.declined).to.have.length(1)
    })

    it('make an emergency one alarm, however many starts, until a person has looked at it', async () => {
      await refused()
      // Nothing is read from what a rule wrote.
      ruled.set('carla', { review: 'emergency; after a refusal' })
      const { id } = await emergency({ ticket: 'SUP-9' })
      await deployment.impersonate({ ticket: 'SUP-9' })
      await deployment.impersonate({ ticket: 'SUP-9' })
      await deployment.impersonate({ customer: 'carla' })
      const shown = async () => {
        const { rows } = await deployment.read('grace', '/audit?when=any')
        const { inbox } = await deployment.read('grace', '')
        const waits = [...inbox.records, ...inbox.alarms].map((each) => each.id)
        return [...waits, ...rows.map((row: RowAnswer) => `${row.unapproved} ${row.isReviewDue}`)]
      }
      const [none, marked] = ['undefined undefined', 'after_refusal true']
      expect(await shown()).to.deep.equal([id, none, marked, marked])
      await permits.decide(id, 'reviewed', { by: 'grace', note: 'Saw it' })
      expect(await shown()).to.deep.equal([none, 'after_refusal false', 'after_refusal false'])
      // The request, its refusal, the emergency, and its review: each once.
      await until(async () => told.length === 4)
    })

    it('are not overwritten by a no of the customer at the same time', async () => {
      ruled.set('alice', { needs: ['user', 'second_person'] })
      const { id } = await request()
      await decide(id, 'granted', 'alice')
      const other = another({ standing: {} })
      const [late] = await Promise.all([
        rejection(decide(id, 'declined')),
        other.answer('alice', 'ask'),
      ])
      expect((await permits.get(id))?.state).to.equal(late ? 'revoked' : 'declined')
      await other.close()
    })
  })

  it('that the customer refused hold for a day and every ticket, of this operator and application', async () => {
    await decide((await request({ customer: 'bob' })).id, 'declined', 'bob')
    const again = () => request({ customer: 'bob', ticket: 'SUP-9' })
    const { error, retryAfter } = await refusal(again())
    expect(error).to.equal('refused_lately')
    expect(retryAfter).to.be.within(86_300, 86_400)
    for (const more of [{ operator: 'oscar' }, { application: 'other' }]) {
      expect((await request({ customer: 'bob', ...more })).state).to.equal('requested')
    }
    expect((await later(24 * HOUR, again)).state).to.equal('requested')
  })

  it('are asked for 60 times in an hour, withdrawn ones counted, also at once and at two processes', async () => {
    const other = another()
    const ask = async (at: Permits, ticket: string) => {
      const { id } = await at.request(asked({ ticket }))
      await at.decide(id, 'revoked', { by: 'olivia' })
    }
    for (let times = 0; times < 29; times += 1) {
      await ask(permits, `SUP-${times}`)
      await ask(other, `SUP-${times}`)
    }
    const customers = ['alice', 'carla', 'amir.ng', 'amir.okoye', 'amir.quist']
    const atOnce = customers.map((customer) => request({ customer }))
    const done = (await Promise.allSettled(atOnce)).filter(({ status }) => status === 'fulfilled')
    expect(done).to.have.length(2)
    const { error, statusCode, retryAfter } = await refusal(other.request(asked()))
    expect([error, statusCode]).to.deep.equal(['temporarily_unavailable', 429])
    expect(retryAfter).to.be.within(3500, 3600)
    expect((await request({ operator: 'oscar' })).state).to.equal('requested')
    expect((await later(HOUR, () => request({ ticket: 'SUP-99' }))).state).to.equal('requested')
    await other.close()
  })

  it('are asked for once, and lapse where they are not decided', async () => {
    const { id } = await request()
    const { error, permit } = await refusal(request())
    expect([error, permit?.id]).to.deep.equal(['already_requested', id])
    const stateOf = async () => (await permits.get(id))?.state
    expect(await later(24 * HOUR - 60 * SECOND, stateOf)).to.equal('requested')
    await later(24 * HOUR, async () => {
      expect(await stateOf()).to.equal('lapsed')
      expect(await codeOf(decide(id, 'granted'))).to.equal('decided')
      expect((await request()).id).not.to.equal(id)
    })
  })

  it('open nothing early where the clock was set back', async () => {
    const permit = await later(HOUR, () => granted())
    expect(permit.state).to.equal('granted')
    expect(await statusOfAct()).to.equal(403)
  })

  it('I15: that are revoked allow nothing any more, burn nothing, and end what runs at every API', async () => {
    const { id } = await granted()
    const running = await deployment.impersonate()
    const { body: handOver } = await act()
    expect(await running.look()).to.equal(200)
    expect(await codeOf(decide(id, 'revoked', 'oscar'))).to.equal('access_denied')
    const revoked = await permits.decide(id, 'revoked', { by: 'grace', note: 'Wrong ticket' })
    expect(revoked).to.include({ state: 'revoked' })
    expect(await statusOfAct()).to.equal(403)
    expect(await deployment.exchange('olivia', handOver).catch(String)).to.include('not exchanged')
    const object = await deployment.provider.impersonation.get(running.id)
    expect(object?.end).to.deep.include({
      cause: 'requested',
      by: { sub: 'grace' },
      reason: 'Wrong ticket',
    })
    await until(async () => (await running.look()) === 401, 8 * SECOND)
    expect(await codeOf(decide(id, 'revoked')), 'once').to.equal('decided')
  })

  for (const isAnew of [false, true]) {
    const when = isAnew ? ', also after they were closed and attached again' : ''
    it(`that another process revoked before it was killed are finished${when}`, async () => {
      if (isAnew) {
        await permits.close()
        permits.attach(deployment.provider, AS)
      }
      const { id } = await granted()
      const { id: running } = await deployment.impersonate()
      // A process that writes the entry, and ends nothing.
      const killed = permitsWith({ audit, approvers: () => approvers })
      const other = await providerAt('https://other.example')
      takeAway({ provider: other }, 'endAll')
      killed.attach(other)
      await killed.decide(id, 'revoked', { by: 'grace' })
      await until(async () => (await deployment.stateOf(running)) === 'ended')
      await killed.close()
    })
  }

  it('I14: that are revoked end also what was under way, and is issued a little later', async () => {
    const { id } = await granted()
    const { impersonation } = deployment.provider
    const { endAll } = impersonation
    let passes = 0
    impersonation.endAll = async (...args) => {
      const ended = await endAll.apply(impersonation, args)
      passes += 1
      return ended
    }
    const held = hold('issue')
    const issuing = issue()
    await held.reached
    await decide(id, 'revoked')
    // The revocation itself, and a look afterwards.
    await until(() => passes >= 2)
    held.release()
    const issued = hash('sha256', (await issuing).subjectToken, 'base64url')
    await until(async () => (await deployment.stateOf(issued)) === 'ended')
    // The plugin ends what comes within seconds. It is looked at for longer.
    await until(() => passes >= 3)
  })

  it('that expire while a subject token waits refuse the exchange, and burn nothing', async () => {
    await granted()
    const { body: handOver } = await act()
    const exchange = () => deployment.exchange('olivia', handOver)
    expect(await later(600 * SECOND, () => exchange().catch(String))).to.be.a('string')
    expect(await exchange()).to.have.property('accessToken')
  })

  it('say 503 where the storage does not answer, and nothing is written later', async () => {
    const { id } = await request()
    audit.failing = ['write']
    expect(await refusal(decide(id, 'granted'))).to.include({
      error: 'temporarily_unavailable',
      statusCode: 503,
    })
    audit.failing = ['permits', 'permit', 'permitsInForce']
    expect(await codeOf(decide(id, 'granted'))).to.equal('temporarily_unavailable')
    expect(await statusOfAct(), 'what cannot be read is no').to.equal(503)
    audit.failing = []
    expect((await permits.get(id))?.state).to.equal('requested')
    expect((await decide(id, 'granted')).state).to.equal('granted')
  })

  it('say 503 within the time of the storage, however many wait, and do none of them later', async () => {
    const ids: string[] = []
    for (const customer of ['alice', 'carla', 'bea.okoye', 'chen.petrov']) {
      ids.push((await request({ customer })).id)
    }
    await permits.close()
    const reached: string[] = []
    const slow = interceptCalls(audit, 'write', ({ sums }) => {
      reached.push(...idsOf(sums))
      return new Promise(() => {})
    })
    const own = another({ audit: slow, timeout: 0.4 })
    const all = ids.map((id) => codeOf(own.decide(id, 'granted', { by: 'grace' })))
    expect(await Promise.all(all)).to.deep.equal(ids.map(() => 'temporarily_unavailable'))
    expect(new Set(reached), 'those that waited are not begun').to.deep.equal(new Set([ids[0]]))
    await own.close()
  })

  describe('of an emergency', () => {
    it('are granted at once where the rule allows it, and stand in the object for review', async () => {
      const permit = await emergency()
      expect(permit).to.include({ kind: 'emergency', state: 'granted' })
      const { id } = await deployment.impersonate()
      const object = await deployment.provider.impersonation.get(id)
      expect(object).to.include({ permit: permit.id, review: 'emergency' })
      const ofBob = emergency({ customer: 'bob', operator: 'oscar' })
      expect(await codeOf(ofBob), 'not allowed for bob').to.equal('access_denied')
      ruled.set('alice', { needs: ['second_person'] })
      expect(await statusOfAct(), 'where the rule allows none any more').to.equal(403)
    })

    it('are one at a time, until an approver has reviewed it', async () => {
      const both = await Promise.allSettled([emergency(), emergency()])
      expect(both.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      const next = () => later(HOUR, () => emergency())
      expect(await codeOf(next())).to.equal('review_due')
      const [{ id = '' } = {}] = (await permits.list({ kind: 'emergency' })).records
      await permits.decide(id, 'reviewed', { by: 'grace', note: 'It was needed' })
      expect((await next()).state).to.equal('granted')
    })
  })

  it('ask the rule first: what it refuses or does not need is not asked for, and no one is bothered', async () => {
    for (const [verdict, error, statusCode] of [
      [false, 'access_denied', 403],
      [true, 'not_needed', 409],
    ] as const) {
      ruled.set('alice', verdict)
      for (const ask of [request, emergency]) {
        expect(await refusal(ask())).to.include({ error, statusCode })
      }
    }
    ruled.set('alice', { needs: ['user', 'second_person'] })
    const { needs } = await permits.request(Object.assign(asked(), { needs: ['second_person'] }))
    expect(needs, 'as the rule says').to.deep.equal(['second_person', 'user'])
    await until(() => told.length > 0)
    expect(told.map(({ kind }) => kind)).to.deep.equal(['requested'])
  })

  it('say 503 where the rule fails or does not answer, within the time of the storage', async () => {
    let answer: () => Promise<Verdict> = () => Promise.reject(new Error('out of order'))
    await begin({ timeout: 0.2 }, () => answer())
    expect(await codeOf(request())).to.equal('temporarily_unavailable')
    answer = () => new Promise(() => {})
    expect(await codeOf(request())).to.equal('temporarily_unavailable')
  })

  it('are of one provider, and keep the order of time where the clock was set back', async () => {
    const other = await providerAt('https://other.example')
    expect(() => permits.attach(other)).to.throw(TypeError, 'attached already')
    const { id, requestedAt } = await later(HOUR, () => request())
    const { said, grantedAt } = await decide(id, 'granted')
    expect([said[0]?.at, grantedAt]).to.deep.equal([requestedAt, requestedAt])
  })

  it('throw before they are attached, and where impersonations cannot be ended', async () => {
    const alone = permitsWith({ audit, approvers: () => approvers })
    expect(String(await rejection(alone.request(asked())))).to.include('attach')
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
    const own = another({ audit: { ...audit, write } })
    const { id } = await own.request(asked())
    const other = await own.request(asked({ customer: 'carla' }))
    for (const [kind, of, event] of [
      ['race', id, 'granted'],
      ['answer', other.id, 'granted'],
      ['outage', id, 'revoked'],
    ] as const) {
      fault = kind
      expect((await own.decide(of, event, { by: 'grace' })).state, kind).to.equal(event)
    }
    await own.close()
  })

  describe('that wrap finds', () => {
    const question = (more: object = {}) => {
      const { resource, scope } = asked()
      return {
        account: { accountId: 'alice' },
        mayAct: { sub: 'olivia', clientId: 'shop' },
        actor: { sub: 'olivia' },
        resource,
        scope,
        context: { ticketId: 'SUP-123' },
        stage: 'exchange',
        ...more,
      }
    }
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
      const { id } = await request()
      await decide(id, 'granted', 'alice')
      await decide(id, 'granted')
      ruled.delete('alice')
      expect(await askRule()).to.include({ permit: id })
      await decide(id, 'revoked')
      expect(await askRule()).to.include({ permit: short.id })
    })

    it('nothing where the rule says that it is asked too often: the caller is told so', async () => {
      const tooMany = new TooManyRequests(9)
      const throttled = permits.wrap(() => Promise.reject(tooMany))
      expect(await rejection(Promise.resolve(throttled(question() as never)))).to.equal(tooMany)
    })

    it('open nothing in the last second of the window', async () => {
      const { until = 0 } = await granted()
      const answer = await later(until - Date.now() - 500, async () => askRule())
      expect(answer).to.have.property('needs')
    })
  })

  it('are no impersonations in lists', async () => {
    const { id } = await granted()
    expect((await deployment.read('ada', '/audit')).rows).to.deep.equal([])
    const entries = await audit.timeline(id, { limit: 10 })
    expect(entries.map(({ text = '{}' }) => JSON.parse(text).event)).to.deep.equal([
      'support.requested',
      'support.granted',
    ])
  })
})
