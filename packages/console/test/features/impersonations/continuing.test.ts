import { expect } from 'chai'
import { shared } from '../../../../../test/support/shared.ts'
import { ACT, refusals } from '../../support/acting.ts'
import { later } from '../../support/clock.ts'
import { csvRecords, idIn } from '../../support/csv.ts'
import { type Answer, deploy } from '../../support/deployment.ts'
import { expectProblem, expectStatus } from '../../support/expect-answer.ts'
import { memoryAudit } from '../../support/memory-audit.ts'

const MINUTE = 60_000

describe('the page of a ticket', () => {
  it('is told with what runs and with the row, where it is a link', async () => {
    const url = (ticket: string) => {
      if (ticket === 'broken') throw new Error('no such ticket')
      return ticket.startsWith('javascript:')
        ? ticket
        : `https://tickets.example.com/${encodeURIComponent(ticket)}`
    }
    await using deployment = await deploy({ console: { ticket: { url } } })
    const urls = new Map<string, unknown>()
    for (const ticket of ['SUP-1', 'a/../b', 'broken', 'javascript:alert(1)']) {
      const { id } = await deployment.impersonate({ ticket })
      urls.set(ticket, (await deployment.read('ada', `/audit/${id}`)).ticketUrl)
    }
    const expected = {
      'SUP-1': 'https://tickets.example.com/SUP-1',
      'a/../b': 'https://tickets.example.com/a%2F..%2Fb',
      broken: undefined,
      'javascript:alert(1)': undefined,
    }
    expect(Object.fromEntries(urls)).to.deep.equal(expected)
    const body = await deployment.read('grace', '')
    const shown = body.running.map(({ ticket, ticketUrl }: Record<string, string>) => [
      ticket,
      ticketUrl,
    ])
    expect(Object.fromEntries(shown)).to.deep.equal(expected)
  })
})

describe('continuing', () => {
  const deployment = shared(() => deploy())

  const goOn = (id: string, who = 'olivia') =>
    deployment.ask(who, `/impersonations/${id}/continue`, {})

  const expectStopped = (answer: Answer, how?: string) =>
    expectProblem(answer, 409, 'conflict', how)
  const rowOf = async (id: string) => await deployment.read('olivia', `/audit/${id}`)

  it('is a new impersonation with everything as it was, after the first one ended, too', async () => {
    const first = await deployment.impersonate({ ticket: 'SUP-7', access: 'change', duration: 300 })
    await first.end()
    const answer = await goOn(first.id)
    expectStatus(answer, 201)
    const second = await deployment.exchange('olivia', answer.body)
    const row = await rowOf(second.id)
    expect(second.id).not.to.equal(first.id)
    expect(row).to.deep.include({
      ticket: 'SUP-7',
      reason: 'An order did not arrive',
      application: 'shop',
      scope: 'orders:read orders:write',
      outcome: 'running',
    })
    expect(row.customer.id).to.equal('alice')
    expect(row.expiresAt - row.startedAt).to.be.within(270_000, 301_000)
  })

  it('is said beforehand: not to others, and not where it was stopped', async () => {
    const first = await deployment.impersonate({ ticket: 'SUP-8' })
    const may = async (who: string) =>
      deployment
        .ask(who, `/continue/${first.id}`)
        .then(({ status, body }) => [status, body.wayOn, body.row?.ticket])
    expect(await may('olivia')).to.deep.equal([200, 'allowed', 'SUP-8'])
    for (const who of ['oscar', 'grace']) expect((await may(who))[0], who).to.equal(404)
    expect((await may('ada'))[0]).to.equal(403)
    await deployment.provider.impersonation.end(first.id, { by: { sub: 'grace' } })
    await deployment.settled()
    expect(await may('olivia')).to.deep.equal([200, 'refused', 'SUP-8'])
  })

  it('is asked for as before, whatever else was recorded before the issue, by other processes', async () => {
    const audit = memoryAudit()
    const timeline: typeof audit.timeline = async (...query) =>
      (await audit.timeline(...query)).toReversed()
    await using other = await deploy({ audit: { ...audit, timeline } })
    const first = await other.impersonate({ ticket: 'SUP-9' })
    await first.end()
    const { status, body } = await other.ask('olivia', `/impersonations/${first.id}/continue`, {})
    expect(status).to.equal(201)
    const second = await other.exchange('olivia', body)
    expect((await other.read('olivia', `/audit/${second.id}`)).ticket).to.equal('SUP-9')
  })

  it('ends the first one once the second is issued; a refusal is recorded, and ends nothing', async () => {
    await using other = await deploy()
    const first = await other.impersonate()
    const on = () => other.ask('olivia', `/impersonations/${first.id}/continue`, {})
    other.protect('alice', 'Alice is in court.')
    const { status, body: problem } = await on()
    expect([status, problem.error_description]).to.deep.equal([403, 'Alice is in court.'])
    expect(await refusals(other, 'alice')).to.have.length(1)
    expect(await other.stateOf(first.id)).to.equal('active')
    other.protect('alice', undefined)
    const { body } = await on()
    expect(await other.stateOf(first.id)).to.equal('ended')
    expect(await other.exchange('olivia', body)).to.have.property('id')
  })

  it('from looking to changing, and to nothing else', async () => {
    const first = await deployment.impersonate({ ticket: 'SUP-8', access: 'read' })
    const asked = (access: unknown) =>
      deployment.ask('olivia', `/impersonations/${first.id}/continue`, { access })
    for (const access of ['read', 'all', null, 1]) {
      expectProblem(await asked(access), 400, 'invalid_request')
    }
    expect(await deployment.stateOf(first.id)).to.equal('active')
    const second = await deployment.exchange('olivia', (await asked('change')).body)
    expect(await rowOf(second.id)).to.deep.include({
      ticket: 'SUP-8',
      scope: 'orders:read orders:write',
    })
    expect(await deployment.stateOf(first.id)).to.equal('ended')
  })

  it('the audit says which one it continues, and by whom; the context does not', async () => {
    const first = await deployment.impersonate()
    const { body } = await goOn(first.id)
    await deployment.settled()
    const timeline = await deployment.ask('ada', `/audit/${body.id}`)
    const { entries } = timeline.body as { entries: Record<string, unknown>[] }
    expect(entries.find(({ event }) => event === 'support.continued')).to.deep.include({
      id: body.id,
      continues: first.id,
      by: 'olivia',
      userId: 'alice',
    })
    const issued = entries.find(({ event }) => event === 'impersonation.issued')
    expect(JSON.stringify(issued)).not.to.include(first.id)
    const csv = await deployment.ask('ada', `/audit/export.csv?ticket=${ACT.ticketId}`)
    const records = csvRecords(csv.text)
    const told = (id: string) => idIn(records.find((record) => idIn(record.id) === id)?.continues)
    expect(told(body.id)).to.equal(first.id)
    expect(told(first.id)).to.equal('')
  })

  it('only what the caller ran: another operator and a lead get 404, as for what never was', async () => {
    const { id } = await deployment.impersonate()
    for (const [who, which] of [
      ['oscar', id],
      ['grace', id],
      ['olivia', 'x'.repeat(43)],
      ['olivia', '..%2F..'],
    ] as const) {
      expectProblem(await goOn(which, who), 404, 'not_found')
    }
  })

  it('only what started, and for ten minutes after its time was over', async () => {
    const { body } = await deployment.ask('olivia', '/impersonations', ACT)
    expectStatus(await goOn(body.id), 404)
    const { id } = await deployment.impersonate({ duration: 300 })
    await later(14 * MINUTE, async () => expectStatus(await goOn(id), 201))
    await later(16 * MINUTE, async () => expectStopped(await goOn(id)))
  })

  it('what the caller ended or signed out of, for ten minutes', async () => {
    const own = await deployment.impersonate()
    await own.end()
    await later(9 * MINUTE, async () => expectStatus(await goOn(own.id), 201))
    await later(11 * MINUTE, async () => expectStopped(await goOn(own.id)))
    const signedOut = await deployment.impersonate()
    await deployment.provider.impersonation.end(signedOut.id, {
      by: { sub: 'olivia' },
      cause: 'operator_signed_out',
    })
    expectStatus(await goOn(signedOut.id), 201)
  })

  it('nothing that the customer, a lead, a policy, a replay or the machine ended: 409', async () => {
    for (const how of [
      { by: { sub: 'alice' }, cause: 'user' },
      { by: { sub: 'grace' }, cause: 'requested' },
      { cause: 'requested' },
      { cause: 'policy' },
      { by: { sub: 'olivia' }, cause: 'policy' },
    ] as const) {
      const { id } = await deployment.impersonate()
      await deployment.provider.impersonation.end(id, how)
      expectStopped(await goOn(id), JSON.stringify(how))
    }
    const replayed = await deployment.impersonate()
    await replayed.replay()
    expectStopped(await goOn(replayed.id))
  })

  it('nothing that has ended where the audit does not know it yet', async () => {
    const { id } = await deployment.impersonate()
    const { row } = deployment.audit
    Object.assign(deployment.audit, {
      row: async (of: string) => {
        const found = await row(of)
        return found && { ...found, end: undefined }
      },
    })
    try {
      await deployment.provider.impersonation.end(id, { by: { sub: 'alice' }, cause: 'user' })
      expectStopped(await goOn(id))
    } finally {
      Object.assign(deployment.audit, { row })
    }
  })

  it('asks again for the role', async () => {
    const { id } = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    deployment.roles.set('oscar', 'auditor')
    expectStatus(await goOn(id, 'oscar'), 403)
  })
})
