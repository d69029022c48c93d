import { expect } from 'chai'
import type { Authorize, Verdict } from 'oidc-provider-impersonation'
import type { AuditStore, PermitsOptions } from 'oidc-provider-impersonation-console'
import type { ConsolePermits } from '../../../src/features/permits/server/permits.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { rejection } from '../../ledger/stores/contract/support.ts'
import { ACT } from '../../support/acting.ts'
import { begunAnew } from '../../support/begun-anew.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { MACHINE } from '../../support/provider.ts'
import { takeAway } from '../../support/take-away.ts'
import { deployWithPermits, type PermitsDeployment } from '../../support/with-permits.ts'
import { until } from '../notices/until.ts'

const DAY_S = 86_400
const DAY = DAY_S * 1000

/** Bob is asked; for a change, a second person as well. */
const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['user', 'second_person'] } : { needs: ['user'] }

describe('what a customer answers for all requests', () => {
  let permits: ConsolePermits
  let deployment: PermitsDeployment
  let audit: AuditStore
  /** By how much the clock of permits is ahead, in milliseconds. */
  let ahead = 0
  /** The time of that clock if it stands still. */
  let still: number | undefined

  const begin = begunAnew(
    async (options: Partial<PermitsOptions> = {}, wrapped: Authorize = rule) => {
      audit = memoryAudit({ keepFor: 30 * DAY_S })
      ahead = 0
      still = undefined
      deployment = await deployWithPermits(wrapped, {
        audit,
        now: () => still ?? Date.now() + ahead,
        permits: options,
      })
      permits = deployment.permits
      return deployment
    },
  )

  /** The permits of another process. */
  function another() {
    const approvers = () => [{ id: 'grace' }]
    const made = permitsWith({ audit, standing: {}, approvers }, () => Date.now() + ahead)
    made.attach(deployment.provider, { issueAs: MACHINE.clientId })
    return made
  }
  const look = (operator = 'olivia') =>
    deployment.impersonate({ customer: 'bob', access: 'read', operator })
  const act = (access: 'change' | 'read' = 'read') =>
    deployment.ask('olivia', '/impersonations', { ...ACT, userId: 'bob', access })
  const statusOfAct = async (access?: 'change' | 'read') => (await act(access)).status
  const stateOf = (id: string) => deployment.stateOf(id)
  const asked = (more?: object) => deployment.request({ customer: 'bob', ...more })
  const granted = async (id: string, by: string) => permits.decide(id, 'granted', { by })

  it('holds until the customer says something else, for every operator, and for no other customer', async () => {
    expect(await permits.answer('bob', 'allow')).to.deep.equal({ choice: 'allow' })
    ahead = 1000 * DAY
    expect((await permits.answer('bob')).choice).to.equal('allow')
    expect(await statusOfAct()).to.equal(201)
    await look('oscar')
    expect((await permits.answer('bo')).choice).to.equal('rule')
  })

  it('I15: no ends what runs by it, and a subject token that waits redeems nothing', async () => {
    await permits.answer('bob', 'allow')
    await permits.answer('bob', 'allow')
    const running = await look()
    const { body } = await act()
    expect(await permits.answer('bob', 'ask')).to.deep.equal({ choice: 'ask' })
    expect(await stateOf(running.id)).to.equal('ended')
    expect(await statusOfAct()).to.equal(403)
    const waiting = await deployment.exchange('olivia', body).catch(String)
    expect(waiting, 'it is ended').to.match(/not exchanged: .*invalid_/)
  })

  it('I15: beside the approval of a second person, both are needed, and no ends what has both', async () => {
    expect(await statusOfAct('change')).to.equal(403)
    await permits.answer('bob', 'allow')
    expect(await statusOfAct('change'), 'the second person is not asked').to.equal(403)
    const { id } = await deployment.granted({ customer: 'bob' })
    const running = await deployment.impersonate({ customer: 'bob' })
    expect((await deployment.provider.impersonation.get(running.id))?.permit).to.equal(id)
    await permits.answer('bob', 'ask')
    expect(await stateOf(running.id)).to.equal('ended')
    expect(await statusOfAct('change')).to.equal(403)
  })

  it('takes back what the customer allowed by a request of its own', async () => {
    const id = await asked({ scope: 'orders:read' })
    const permit = await granted(id, 'bob')
    const running = await look()
    await permits.records.ended({ ...permit, state: 'ask', version: 1, lastAt: 0 })
    expect(await stateOf(running.id), 'its kind has no such state').to.equal('active')
    await permits.answer('bob', 'ask')
    expect((await permits.get(id))?.state).to.equal('revoked')
    expect(await stateOf(running.id)).to.equal('ended')
  })

  it('I15: takes back what the customer allowed and a second person has still to decide on', async () => {
    const id = await asked()
    await granted(id, 'bob')
    await permits.answer('bob', 'ask')
    expect((await permits.get(id))?.state).to.equal('revoked')
    expect(await rejection(granted(id, 'grace'))).to.include({ error: 'decided' })
    expect(await statusOfAct('change')).to.equal(403)
  })

  it('may be open before the customer said anything: no ends what runs, and is kept', async () => {
    await begin({ standing: { initially: 'allow' } })
    expect(await permits.answer('bob')).to.deep.equal({ choice: 'allow', isInitial: true })
    const running = await look()
    await permits.answer('bob', 'ask')
    expect(await stateOf(running.id)).to.equal('ended')
    expect(await statusOfAct()).to.equal(403)
    // Old records are removed; the answer is in force.
    await audit.remove(await audit.old(Date.now() + 1000 * DAY, 50))
    expect(await permits.answer('bob')).to.deep.equal({ choice: 'ask' })
    expect(await statusOfAct()).to.equal(403)
  })

  describe('by the rule alone', () => {
    let verdict: Verdict

    beforeEach(async () => {
      verdict = true
      await begin({}, () => verdict)
    })

    it('nothing is added before the customer chose', async () => {
      expect(await permits.answer('bob')).to.deep.equal({ choice: 'rule' })
      expect(await statusOfAct()).to.equal(201)
    })

    it('I15: ask asks the customer also where the rule does not, and ends what it allowed', async () => {
      const running = await look()
      const { body } = await act()
      const others = await deployment.impersonate({ customer: 'alice', access: 'read' })
      await permits.answer('bob', 'ask')
      const { end: ended } = (await deployment.provider.impersonation.get(running.id)) ?? {}
      expect(ended).to.deep.include({ cause: 'user', by: { sub: 'bob' } })
      expect(await stateOf(others.id)).to.equal('active')
      expect(await deployment.exchange('olivia', body).catch(String)).to.match(/not exchanged/)
      expect(await statusOfAct()).to.equal(403)
      const { id, needs } = await permits.request(deployment.asked({ customer: 'bob' }))
      expect(needs).to.deep.equal(['user'])
      await granted(id, 'bob')
      expect(await statusOfAct('change')).to.equal(201)
    })

    for (const [title, kind, state, status] of [
      ['what a second person allowed ends, and starts no more', 'granted', 'ended', 403],
      ['ask leaves an emergency as the rule has it', 'emergency', 'active', 201],
    ] as const) {
      it(`I15: ${title}`, async () => {
        verdict = { needs: ['second_person'], emergency: true }
        await deployment[kind]({ customer: 'bob' })
        const running = await look()
        await permits.answer('bob', 'ask')
        expect(await stateOf(running.id)).to.equal(state)
        expect(await statusOfAct()).to.equal(status)
      })
    }

    it('a request that no permit can fit is refused where the customer wants to be asked', async () => {
      await permits.answer('bob', 'ask')
      const issue = deployment.provider.impersonation.issue(
        {
          userId: 'bob',
          scope: 'orders:read',
          mayAct: { sub: 'olivia', clientId: 'shop' },
          resource: [`${deployment.url}/orders`, `${deployment.url}/others`],
        },
        { as: MACHINE.clientId },
      )
      const refusal = await rejection(issue)
      // The caller is told nothing more: the cause is in the event, and so in the audit.
      expect(refusal).to.include({
        error: 'access_denied',
        error_description: 'refused by policy',
      })
      expect(String((refusal as Error).cause)).to.include(
        'the customer is to be asked, and cannot be',
      )
      await deployment.settled()
      const [row] = (await deployment.read('ada', '/audit')).rows
      expect(row.refusal.reason).to.include('one resource')
    })

    it('no is 200 twice where it is said at two processes at once', async () => {
      const other = another()
      for (let times = 0; times < 10; times += 1) {
        await permits.answer('bob', 'allow')
        const both = [permits.answer('bob', 'ask'), other.answer('bob', 'ask')]
        expect(await Promise.all(both)).to.deep.equal([{ choice: 'ask' }, { choice: 'ask' }])
      }
      await other.close()
    })

    for (const isAnew of [true, false]) {
      it(`what an end could not reach is said, and is tried again much later by ${isAnew ? 'a process that begins' : 'one that stood still'}`, async () => {
        const running = await look()
        const bringBack = takeAway(deployment, 'list')
        expect(await rejection(permits.answer('bob', 'ask'))).to.include({
          error: 'temporarily_unavailable',
          statusCode: 503,
        })
        if (isAnew) await permits.close()
        ahead = 3000 * 1000
        bringBack()
        const later = isAnew ? another() : permits
        await until(async () => (await stateOf(running.id)) === 'ended')
        await later.close()
      })
    }

    it('a second no ends what is still alive', async () => {
      const running = await look()
      const bringBack = takeAway(deployment, 'list')
      await permits.close()
      await permits.answer('bob', 'ask').catch(() => {})
      expect(await stateOf(running.id)).to.equal('active')
      bringBack()
      await permits.answer('bob', 'ask')
      expect(await stateOf(running.id)).to.equal('ended')
    })
  })

  it('is one answer where two are given in the same moment', async () => {
    const choices = ['allow', 'ask', 'allow', 'ask'] as const
    await Promise.all(choices.map((choice) => permits.answer('bob', choice)))
    const { choice } = await permits.answer('bob')
    expect(await statusOfAct()).to.equal(choice === 'ask' ? 403 : 201)
    await permits.answer('bob', 'ask')
    expect(await statusOfAct()).to.equal(403)
  })

  it('is no permit in lists, and an entry of the chain each time, also in one millisecond', async () => {
    still = Date.now()
    await permits.answer('bob', 'allow')
    await permits.answer('bob', 'ask')
    expect((await permits.list({ customer: 'bob', kind: 'approval' })).records).to.deep.equal([])
    const entries = await audit.entries({ limit: 100 })
    const events = entries.map(({ text = '{}' }) => JSON.parse(text))
    expect(
      events.flatMap(({ event, by }) => (event.startsWith('support.') ? [`${event} ${by}`] : [])),
    ).to.deep.equal(['support.opened bob', 'support.closed bob'])
  })

  it('is refused where there is none', async () => {
    await begin({ standing: undefined })
    expect(permits.hasStanding).to.equal(false)
    expect(await rejection(permits.answer('bob', 'ask'))).to.include({ error: 'not_found' })
  })
})
