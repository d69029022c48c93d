import { expect } from 'chai'
import { ACT, refusals } from '../support/acting.ts'
import { later } from '../support/clock.ts'
import { type Deployment, deploy } from '../support/deployment.ts'

const HOUR = 3_600_000

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
      await deployment.settled()
      urls.set(ticket, (await deployment.ask('ada', `/audit/${id}`)).body.ticketUrl)
    }
    const expected = {
      'SUP-1': 'https://tickets.example.com/SUP-1',
      'a/../b': 'https://tickets.example.com/a%2F..%2Fb',
      broken: undefined,
      'javascript:alert(1)': undefined,
    }
    expect(Object.fromEntries(urls)).to.deep.equal(expected)
    const { body } = await deployment.ask('grace', '/running')
    const shown = body.running.map(({ ticket, ticketUrl }: Record<string, string>) => [
      ticket,
      ticketUrl,
    ])
    expect(Object.fromEntries(shown)).to.deep.equal(expected)
  })
})

describe('continuing', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })

  after(() => deployment[Symbol.asyncDispose]())

  const goOn = (id: string, who = 'olivia') =>
    deployment.ask(who, `/impersonations/${id}/continue`, {})

  it('is a new impersonation with everything as it was, after the first one ended, too', async () => {
    const first = await deployment.impersonate({ ticket: 'SUP-7', access: 'change', duration: 300 })
    await first.end()
    const { status, body } = await goOn(first.id)
    expect(status).to.equal(201)
    const second = await deployment.exchange('olivia', body)
    await deployment.settled()
    const { body: row } = await deployment.ask('olivia', `/audit/${second.id}`)
    expect(second.id).not.to.equal(first.id)
    expect(row).to.deep.include({
      ticket: 'SUP-7',
      reason: 'An order did not arrive',
      application: 'shop',
      scope: 'orders:read orders:write',
      outcome: 'running',
    })
    expect(row.customer.id).to.equal('alice')
    expect(row.expiresAt - row.startedAt).to.be.within(299_000, 301_000)
  })

  it('only what the caller ran: another operator and a lead get 404, as for what never was', async () => {
    const { id } = await deployment.impersonate()
    await deployment.settled()
    for (const [who, which] of [
      ['oscar', id],
      ['grace', id],
      ['olivia', 'x'.repeat(43)],
      ['olivia', '..%2F..'],
    ] as const) {
      const { status, body } = await goOn(which, who)
      expect({ status, error: body.error }).to.deep.equal({ status: 404, error: 'not_found' })
    }
  })

  it('only what started, and in the last 12 hours', async () => {
    const { body } = await deployment.ask('olivia', '/impersonations', ACT)
    const { hash } = await import('node:crypto')
    const waiting = hash('sha256', body.subjectToken, 'base64url')
    expect((await goOn(waiting)).status).to.equal(404)
    const started = await deployment.impersonate()
    await later(13 * HOUR, async () => {
      const { accessToken } = await deployment.signIn('olivia')
      const path = `/impersonations/${started.id}/continue`
      const { status } = await deployment.ask({ token: accessToken }, path, {})
      expect(status).to.equal(404)
    })
  })

  it('asks again for the role, and whether the customer is protected', async () => {
    const { id } = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    deployment.roles.set('oscar', 'auditor')
    expect((await goOn(id, 'oscar')).status).to.equal(403)
    deployment.roles.set('oscar', 'operator')
    deployment.protect('bob', 'Bob is in court.')
    const { status, body } = await goOn(id, 'oscar')
    expect({ status, ...body }).to.deep.equal({
      status: 403,
      error: 'access_denied',
      error_description: 'Bob is in court.',
    })
    expect(await refusals(deployment, 'bob'), 'recorded').not.to.have.length(0)
  })
})
