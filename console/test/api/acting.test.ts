import { expect } from 'chai'
import type { Middleware } from 'koa'
import { later } from '../support/clock.ts'
import { CUSTOMERS, type Deployment, deploy, HOSTILE } from '../support/deployment.ts'
import { MACHINE } from '../support/provider.ts'

const HOUR = 3_600_000

const BODY = {
  userId: 'alice',
  ticketId: 'SUP-123',
  reason: 'An order did not arrive',
  application: 'shop',
  access: 'read',
}

/** The rows of refused requests that an auditor sees. */
async function refusals(deployment: Deployment, customer: string) {
  await deployment.settled()
  const { body } = await deployment.ask('ada', `/audit?outcome=refused&customer=${customer}`)
  return body.rows
}

describe('searching for customers', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })

  after(() => deployment[Symbol.asyncDispose]())

  const search = (query: string) => deployment.ask('olivia', `/customers?${query}`)

  it('finds by name, e-mail address, id and what the directory offers, 25 at a time', async () => {
    for (const q of ['Alice Ng', 'alice@', 'alice', 'Lisbon']) {
      const { body } = await search(new URLSearchParams({ q }).toString())
      expect(body.customers.map(({ id }: { id: string }) => id)).to.include('alice')
    }
    const { body: first } = await search('q=example')
    expect(first.customers).to.have.length(25)
    expect(first.more).to.equal(true)
    const { body: second } = await search('q=example&offset=25')
    expect(second.customers[0]).to.deep.equal({ ...CUSTOMERS[25] })
  })

  it('lists nothing without a search', async () => {
    for (const query of ['', 'q=', 'q=%20%20']) {
      const { status, body } = await search(query)
      expect({ status, ...body }).to.deep.equal({
        status: 400,
        error: 'invalid_request',
        error_description: 'q is required: 1 to 100 characters',
      })
    }
  })

  it('refuses what it does not know, what is repeated, and what is too long', async () => {
    for (const query of [
      'q=a&limit=500',
      'q=a&q=b',
      `q=${'x'.repeat(101)}`,
      'q=a&offset=-1',
      'q=%00',
    ]) {
      expect((await search(query)).status, query).to.equal(400)
    }
  })

  it('tells names as they are: what they could do in a page is for the page', async () => {
    const { body } = await search('q=hostile-')
    const names = body.customers.map(({ name }: { name: string }) => name)
    expect(names).to.have.members(Object.values(HOSTILE))
  })

  it('tells who is protected, and who acts as a customer right now', async () => {
    const { body } = await search('q=paula')
    expect(body.customers[0].protected).to.contain('Paula works here')
    const running = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    await deployment.settled()
    const { body: page } = await deployment.ask('olivia', '/customers/bob')
    expect(page.customer).to.deep.include({ id: 'bob', name: 'Bob Marsh' })
    expect(page.running).to.have.length(1)
    expect(page.running[0]).to.deep.include({
      id: running.id,
      operator: { id: 'oscar', name: 'Oscar Öhman', email: 'oscar@support.example' },
      isMine: false,
      canEnd: false,
    })
    expect((await deployment.ask('olivia', '/customers/ghost')).status).to.equal(404)
  })

  it('the directory is not asked for what can be no id', async () => {
    deployment.faults.directory = true
    try {
      for (const id of ['a%00b', 'a%0Ab', 'x'.repeat(256)]) {
        expect((await deployment.ask('olivia', `/customers/${id}`)).status, id).to.equal(404)
      }
    } finally {
      deployment.faults.directory = false
    }
  })

  it('a directory that fails is trouble, and never reads as not found', async () => {
    deployment.faults.directory = true
    try {
      for (const ask of [
        () => search('q=alice'),
        () => deployment.ask('olivia', '/customers/alice'),
        () => deployment.ask('olivia', '/impersonations', BODY),
      ]) {
        const { status, body } = await ask()
        expect({ status, ...body }).to.deep.equal({
          status: 503,
          error: 'temporarily_unavailable',
          error_description: 'the customers cannot be looked up now',
        })
      }
      expect(deployment.log.join('\n')).to.contain('the directory is out of order')
    } finally {
      deployment.faults.directory = false
    }
  })
})

describe('acting as a customer', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy({ console: { ticket: { pattern: /SUP-\d+/ } } })
  })

  after(() => deployment[Symbol.asyncDispose]())

  const act = (body: object, who = 'olivia') => deployment.ask(who, '/impersonations', body)

  it('hands over a token for this operator in this application, for a minute', async () => {
    const { status, body, headers } = await act(BODY)
    expect(status).to.equal(201)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body.expiresIn).to.equal(60)
    expect(body).to.deep.include({
      url: `${deployment.shopUrl}/`,
      customer: { id: 'alice', name: 'Alice Ng' },
      application: { clientId: 'shop', name: 'Shop' },
    })
    const error = await deployment.exchange('oscar', body).catch((reason: unknown) => reason)
    expect(String(error)).to.contain('not exchanged')
    const running = await deployment.exchange('olivia', body)
    expect(await running.look()).to.equal(200)
    expect(await running.change(), 'with access read').to.equal(403)
  })

  it('to change, where that was asked for, and no longer than chosen', async () => {
    const running = await deployment.impersonate({ access: 'change', duration: 120 })
    expect(await running.change()).to.equal(200)
    const { body } = await deployment.ask('olivia', '/running')
    const found = body.running.find(({ id }: { id: string }) => id === running.id)
    expect(found.expiresAt - found.startedAt).to.equal(120_000)
  })

  const wrong: readonly (readonly [object | string, string])[] = [
    [{ ...BODY, userId: '' }, 'userId is required: a text of 1 to 255 characters'],
    [{ ...BODY, userId: 'x'.repeat(256) }, 'userId must not exceed 255 characters'],
    [{ ...BODY, ticketId: undefined }, 'ticketId is required: a text of 1 to 100 characters'],
    [{ ...BODY, ticketId: 'XSUP-1' }, 'ticketId is not a ticket number'],
    [{ ...BODY, ticketId: 'SUP-1\nSUP-2' }, 'ticketId must not contain control characters'],
    [
      { ...BODY, ticketId: 'SUP-1\u200b23' },
      'ticketId must not contain characters that are not seen',
    ],
    [{ ...BODY, ticketId: 'SUP\u00a01' }, 'ticketId must not contain characters that are not seen'],
    [{ ...BODY, reason: '  ' }, 'reason is required: a text of 1 to 500 characters'],
    [{ ...BODY, reason: 'x'.repeat(501) }, 'reason must not exceed 500 characters'],
    [{ ...BODY, reason: 'a \u202Eb' }, 'reason must not contain control characters'],
    [{ ...BODY, reason: { a: 1 } }, 'reason must be a text'],
    [{ ...BODY, application: 'other' }, 'application must be one of: shop'],
    [{ ...BODY, access: 'all' }, 'access must be read or change'],
    [{ ...BODY, duration: 121 }, 'duration must be one of: 120, 300, 600'],
    [{ ...BODY, duration: '120' }, 'duration must be one of: 120, 300, 600'],
    [
      { ...BODY, scope: 'admin' },
      'the body has a member that is not known here; known are: userId',
    ],
    ['[]', 'the body must be a JSON object'],
    ['"x"', 'the body is not valid JSON'],
    ['{', 'the body is not valid JSON'],
  ]
  for (const [body, told] of wrong) {
    it(`refuses: ${told}`, async () => {
      const answer = await deployment.ask('olivia', '/impersonations', body)
      expect(answer.status).to.equal(400)
      expect(answer.body.error).to.equal('invalid_request')
      expect(answer.body.error_description).to.contain(told)
    })
  }

  it('refuses bodies that are large, compressed, or no JSON', async () => {
    const large = await act({ ...BODY, reason: 'x'.repeat(20_000) })
    expect(large.status).to.equal(413)
    const form = await deployment.ask('olivia', '/impersonations', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form.status).to.equal(415)
    const compressed = await deployment.ask('olivia', '/impersonations', BODY, {
      'content-encoding': 'gzip',
    })
    expect(compressed.status).to.equal(415)
  })

  it('refuses a protected customer with the reason, and records it', async () => {
    const { status, body } = await act({ ...BODY, userId: 'paula' })
    expect({ status, ...body }).to.deep.equal({
      status: 403,
      error: 'access_denied',
      error_description: 'Paula works here: support does not act as colleagues.',
    })
    const [row] = await refusals(deployment, 'paula')
    expect(row).to.deep.include({ ticket: 'SUP-123', outcome: 'refused', denied: 1 })
    expect(row.operator).to.deep.include({ id: 'olivia', name: 'Olivia Okafor' })
    expect(row.customer).to.deep.include({ id: 'paula', name: 'Paula Protected' })
    expect(row.refusal).to.deep.include({ error: 'access_denied' })
    expect(row.id, 'a permanent link has one form').to.match(/^[\w-]{43}$/)
    const opened = await deployment.ask('olivia', `/audit/${row.id}`)
    expect(opened.status, 'what the operator tried is theirs to see').to.equal(200)
  })

  it('refuses a customer who does not exist, and records it', async () => {
    const { status, body } = await act({ ...BODY, userId: 'ghost' })
    expect({ status, error: body.error }).to.deep.equal({ status: 404, error: 'user_not_found' })
    expect(await refusals(deployment, 'ghost')).to.have.length(1)
  })

  it('records what a person asked for who may not act', async () => {
    await act({ ...BODY, userId: 'carla' }, 'ada')
    const rows = await refusals(deployment, 'carla')
    expect(rows.map(({ operator }: { operator: { id: string } }) => operator.id)).to.deep.equal([
      'ada',
    ])
  })

  it('a stranger puts no words of theirs before the customer whom they name, nor into the audit', async () => {
    const lure = { ticketId: 'SUP-5550100', reason: 'Your account is at risk' }
    expect((await act({ ...BODY, ...lure, userId: 'carla' }, 'bob')).status).to.equal(403)
    expect(await refusals(deployment, 'carla'), 'not of carla').to.have.length(1)
    const { accessToken } = await deployment.signIn('carla', { clientId: 'customer-account' })
    const told = await fetch(`${deployment.url}/account/api/impersonations`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(await told.text()).not.to.match(/555|bob/i)

    const { body } = await deployment.ask('ada', '/audit?operator=bob')
    const [row] = body.rows
    expect(row).to.include({ outcome: 'refused', denied: 1 })
    expect(row).not.to.have.any.keys('customer', 'ticket', 'reason')
    const { body: timeline } = await deployment.ask('ada', `/audit/${row.id}/timeline`)
    expect(timeline.entries[0].context, 'whom bob named').to.deep.equal({ userId: 'carla' })
  })

  it('a stranger cannot fill the audit: 20 a day, and like ones are one row', async () => {
    for (let index = 0; index < 5; index += 1) {
      await act({ ...BODY, reason: `reason ${index}`, userId: 'bob' }, 'alice')
    }
    const statuses: number[] = []
    for (let index = 5; index < 22; index += 1) {
      statuses.push((await act({ ...BODY, userId: `user-${index}` }, 'alice')).status)
    }
    expect(statuses).to.deep.equal([...new Array(15).fill(403), 429, 429])
    await deployment.settled()
    const { body } = await deployment.ask('ada', '/audit?operator=alice&limit=200')
    expect(body.rows).to.have.length(16)
    const { headers } = await act({ ...BODY, userId: 'one-more' }, 'alice')
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(3600)
  })

  it('one operator cannot fill the audit with what is never used: 60 a minute', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 62; index += 1) {
      statuses.push((await act(BODY, 'grace')).status)
    }
    expect(statuses.filter((status) => status === 201)).to.have.length(60)
    const { status, headers } = await act(BODY, 'grace')
    expect(status).to.equal(429)
    expect(headers.get('retry-after')).to.match(/^[1-9]\d?$/)
    const told = deployment.log.filter((line) => line.includes('grace asked 60 times in a minute'))
    expect(told).to.have.length(1)
    expect((await act(BODY, 'olivia')).status, 'of another person').to.equal(201)
  })

  it('records 20 refusals of a person in a minute, and answers 429 to more', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 22; index += 1) {
      const { status, headers } = await act({ ...BODY, userId: `unknown-${index}` }, 'oscar')
      statuses.push(status)
      if (status === 429) expect(headers.get('retry-after')).to.match(/^[1-9]\d?$/)
    }
    expect(statuses).to.deep.equal([...new Array(20).fill(404), 429, 429])
    const told = deployment.log.filter((line) => line.startsWith('support.refused: oscar was'))
    expect(told).to.have.length(1)
    const { status } = await act({ ...BODY, userId: 'ghost' }, 'grace')
    expect(status, 'of another person').to.equal(404)
  })
})

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
    const { body } = await deployment.ask('olivia', '/impersonations', BODY)
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

describe('what the management API says', () => {
  /** A deployment whose management API answers something else, once for each. */
  async function answering(...answers: readonly Middleware[]) {
    const seen: string[] = []
    const left = [...answers]
    const deployment = await deploy({
      before: async (ctx, next) => {
        if (ctx.method === 'POST') seen.push(ctx.path)
        const answer = ctx.path === '/api/subject-tokens' ? left.shift() : undefined
        if (answer) return answer(ctx, next)
        return next()
      },
    })
    return { deployment, seen }
  }

  const answer =
    (status: number, body: object): Middleware =>
    (ctx) => {
      ctx.status = status
      ctx.body = body
    }

  it('one machine token serves many requests', async () => {
    const { deployment, seen } = await answering()
    await using _ = deployment
    await deployment.tokenOf('olivia')
    seen.length = 0
    await Promise.all([1, 2, 3].map(() => deployment.ask('olivia', '/impersonations', BODY)))
    await deployment.ask('olivia', '/impersonations', BODY)
    expect(seen.filter((path) => path === '/oidc/token')).to.have.length(1)
    await later(HOUR / 6, async () => {
      const { status } = await deployment.ask('olivia', '/impersonations', BODY)
      expect(status, 'with a new one, after ten minutes').to.equal(201)
    })
    expect(seen.filter((path) => path === '/oidc/token')).to.have.length(2)
  })

  it('a machine token that is refused is replaced once', async () => {
    const refused = answer(401, { error: 'invalid_token' })
    const { deployment, seen } = await answering(refused)
    await using _ = deployment
    expect((await deployment.ask('olivia', '/impersonations', BODY)).status).to.equal(201)
    expect(seen.filter((path) => path === '/api/subject-tokens')).to.have.length(2)
    const twice = await answering(refused, refused)
    await using __ = twice.deployment
    const { status, body } = await twice.deployment.ask('olivia', '/impersonations', BODY)
    expect({ status, error: body.error }).to.deep.equal({ status: 502, error: 'bad_gateway' })
  })

  it('what concerns the operator is passed on', async () => {
    for (const [status, error] of [
      [400, 'invalid_target'],
      [403, 'access_denied'],
      [404, 'user_not_found'],
      [429, 'temporarily_unavailable'],
      [503, 'temporarily_unavailable'],
    ] as const) {
      const { deployment } = await answering((ctx) => {
        ctx.set('Retry-After', '9')
        return answer(status, { error, error_description: 'as the provider says' })(
          ctx,
          async () => {},
        )
      })
      await using _ = deployment
      const told = await deployment.ask('olivia', '/impersonations', BODY)
      expect({ status: told.status, ...told.body }).to.deep.equal({
        status,
        error,
        error_description: 'as the provider says',
      })
      expect(told.headers.get('retry-after')).to.equal('9')
    }
  })

  it('what concerns the console is 502, and the log says what', async () => {
    for (const [status, body] of [
      [403, { error: 'insufficient_scope' }],
      [404, { error: 'invalid_request' }],
      [500, { error: 'server_error' }],
      [201, { subjectToken: 7 }],
      [302, {}],
    ] as const) {
      const { deployment } = await answering(answer(status, body))
      await using _ = deployment
      const told = await deployment.ask('olivia', '/impersonations', BODY)
      expect({ status: told.status, ...told.body }).to.deep.equal({
        status: 502,
        error: 'bad_gateway',
        error_description: 'the provider answered unexpectedly',
      })
      expect(deployment.log.join('\n')).to.contain(`the management API answered ${status}`)
    }
  })

  it('a wrong secret of the machine is 502, and the log names the option', async () => {
    const machine = { ...MACHINE, clientSecret: 'wrong' }
    await using deployment = await deploy({ console: { machine } })
    const { status, text } = await deployment.ask('olivia', '/impersonations', BODY)
    expect(status).to.equal(502)
    expect(text).not.to.contain('wrong')
    expect(deployment.log.join('\n')).to.contain('options.machine.clientId support-backend')
  })

  it('a provider that cannot be reached is 503', async () => {
    await using deployment = await deploy({ console: { providerUrl: 'http://127.0.0.1:9' } })
    const { status, body, headers } = await deployment.ask('olivia', '/impersonations', BODY)
    expect({ status, ...body }).to.deep.equal({
      status: 503,
      error: 'temporarily_unavailable',
      error_description: 'the provider cannot be reached',
    })
    expect(headers.get('retry-after')).to.equal('5')
  })
})
