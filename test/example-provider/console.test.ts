import { expect } from 'chai'
import type { DescribedUse } from 'oidc-provider-impersonation-console'
import { describe as inWords } from '../../example-provider/console.ts'
import { bearer, get, tokensOf } from './acting.ts'
import { type Answer, type Example, exchange, postJson, send, signIn, start } from './support.ts'

const WHY = { ticketId: 'SUP-1', reason: 'Order lost', application: 'shop', access: 'change' }

describe('example provider: the support console in it', () => {
  let example: Example & { readonly shopUrl: string | undefined }
  const tokens = new Map<string, string>()
  const printed: string[] = []
  const { error, log } = console

  before(async () => {
    console.error = console.log = (...parts: unknown[]) => void printed.push(parts.join(' '))
    example = await start()
    for (const login of ['olivia', 'oscar', 'grace', 'ada', 'alice', 'mallory']) {
      const { body } = await tokensOf(example.url, 'support-console', login)
      tokens.set(login, String(body.access_token))
    }
  })
  after(async () => {
    await example.close()
    Object.assign(console, { error, log })
  })

  const tokenOf = (login: string) => tokens.get(login) ?? ''
  const api = (path: string) => `${example.url}/console/api${path}`
  const ask = (login: string, path: string): Promise<Answer> => get(api(path), tokenOf(login))

  /** The audit is stored beside the answer. */
  async function auditUntil(isThere: (rows: Row[]) => boolean): Promise<Row[]> {
    for (;;) {
      const { body } = await ask('ada', '/audit')
      const rows = Array.isArray(body.rows) ? body.rows : []
      if (isThere(rows)) return rows
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  interface Row {
    readonly operator?: { id: string; name?: string }
    readonly customer?: { id: string; name?: string }
    readonly ticket?: string
    readonly outcome: string
    readonly reads: number
    readonly changes: number
    readonly refused: number
    readonly replays: number
  }

  for (const [login, role] of [
    ['olivia', 'operator'],
    ['oscar', 'operator'],
    ['grace', 'lead'],
    ['ada', 'auditor'],
  ] as const) {
    it(`is there for ${login}, who is ${role}`, async () => {
      expect((await ask(login, '/me')).body).to.include({ id: login, role })
    })
  }

  it('is not for customers, whatever they call themselves', async () => {
    for (const login of ['alice', 'mallory']) {
      expect((await ask(login, '/me')).status, login).to.equal(403)
    }
  })

  it('finds customers by name, address, number and city, and none by an empty search', async () => {
    for (const [text, id] of [
      ['alice n', 'alice'],
      ['BOB@example', 'bob'],
      ['10035', 'chidi'],
      ['basel dana', 'dana'],
      ['onerror', 'mallory'],
    ] as const) {
      const { body } = await ask('olivia', `/customers?q=${encodeURIComponent(text)}`)
      const found = Array.isArray(body.customers) ? body.customers : []
      expect(found.map((each) => each.id)).to.deep.equal([id])
    }
    const { body } = await ask('olivia', '/customers/alice')
    expect(body.customer).to.deep.include({
      details: { 'Customer number': '10021', City: 'Leipzig' },
    })
    expect((await ask('olivia', '/customers?q=')).status).to.equal(400)
  })

  for (const colleague of ['olivia', 'oscar', 'grace', 'ada']) {
    it(`says that ${colleague} is a colleague, and lets no operator act as them`, async () => {
      const { body } = await ask('olivia', `/customers/${colleague}`)
      const customer = Object(body.customer)
      expect(customer.protected).to.match(
        /^\w+ \w+ works here: operators cannot act as colleagues\.$/,
      )
      for (const login of ['oscar', 'grace']) {
        const { status } = await postJson(
          api('/impersonations'),
          { ...WHY, userId: colleague },
          tokenOf(login),
        )
        expect(status).to.equal(403)
      }
    })
  }

  it('hands over to the shop, and the audit counts what the operator does there', async () => {
    const request = { ...WHY, ticketId: 'SUP-77', userId: 'alice', duration: 120 }
    const { status, body, text } = await postJson(api('/impersonations'), request, tokenOf('oscar'))
    expect(status, text).to.equal(201)
    expect(body.url).to.equal(`${example.shopUrl}/`)
    // Bound to the shop, where the operator signs in again.
    const elsewhere = await exchange(example.url, body.subjectToken, tokenOf('oscar'))
    expect([elsewhere.status, elsewhere.body.error]).to.deep.equal([400, 'invalid_request'])

    const [row] = await auditUntil((rows) => rows.some(({ ticket }) => ticket === 'SUP-77'))
    expect(row?.operator).to.deep.include({ id: 'oscar', name: 'Oscar Lind' })
    expect(row?.customer).to.deep.include({ id: 'alice', name: 'Alice Ng' })
  })

  it('has what happens beside it, too: the support backend, and the orders API', async () => {
    const olivia = await signIn(example.url)
    const asked = await postJson(
      `${example.url}/support/impersonations`,
      {
        ...{ userId: 'bob', ticketId: 'SUP-88', reason: 'Order lost' },
        scope: 'orders:read orders:write',
      },
      olivia,
    )
    const scope = { scope: 'orders:read orders:write' }
    const exchanged = await exchange(example.url, asked.body.subjectToken, olivia, scope)
    const token = String(exchanged.body.access_token)
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const url = `${example.url}/orders`
    expect((await send(url, { headers })).status).to.equal(200)
    const note = JSON.stringify({ deliveryNote: 'Ring twice' })
    expect((await send(`${url}/B-2001`, { method: 'PATCH', headers, body: note })).status).to.equal(
      200,
    )
    const email = JSON.stringify({ email: 'olivia@example.com' })
    expect((await send(`${url}/email`, { method: 'PUT', headers, body: email })).status).to.equal(
      403,
    )
    const isWhole = (one: Row) => one.ticket === 'SUP-88' && one.refused === 1 && one.changes === 1
    const rows = await auditUntil((all) => all.some(isWhole))
    expect(rows.find(isWhole)).to.deep.include({ outcome: 'running', reads: 1 })
    const alarms = () => printed.filter((line) => /^alarm: .* as bob: /.test(line))
    expect(alarms(), 'one refused act pages no lead').to.deep.equal([])
    await exchange(example.url, asked.body.subjectToken, olivia, scope).catch(() => {})
    await auditUntil((all) => all.some((one) => one.ticket === 'SUP-88' && one.replays === 1))
    expect(alarms(), 'one line for the lead on duty').to.have.length(1)
    expect(alarms()[0]).to.include(`replayed, olivia as bob: ${example.url}/console/audit/`)
  })

  it('has what the support backend refused; too many refusals are answered 429', async () => {
    const ada = await signIn(example.url, 'ada')
    const request = { userId: 'alice', ticketId: 'SUP-99', reason: 'To see' }
    const refuse = () => postJson(`${example.url}/support/impersonations`, request, ada)
    expect((await refuse()).status).to.equal(403)
    const isIt = ({ operator, outcome }: Row) => operator?.id === 'ada' && outcome === 'refused'
    await auditUntil((rows) => rows.some(isIt))
    for (let times = 0; times < 19; times += 1) expect((await refuse()).status).to.equal(403)
    const { status, headers, body } = await refuse()
    expect([status, body.error]).to.deep.equal([429, 'temporarily_unavailable'])
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
  })

  it('tells customers in the words of the shop what was done', () => {
    const said = (method: string, path: string, more: Partial<DescribedUse> = {}) => {
      const use = { method, path, status: 200, refused: false, audience: 'orders', ...more }
      return [inWords(use, 'en'), inWords(use, 'de')]
    }
    expect(said('GET', '/orders')).to.deep.equal([
      'Looked at your orders',
      'Ihre Bestellungen angesehen',
    ])
    expect(said('PATCH', '/orders/A-1003')).to.deep.equal([
      'Changed the delivery note of an order',
      'Den Lieferhinweis einer Bestellung geändert',
    ])
    expect(said('PUT', '/orders/email', { status: 403, refused: true })).to.deep.equal([
      'Tried to change your e-mail address',
      'Versucht, Ihre E-Mail-Adresse zu ändern',
    ])
    expect(said('PATCH', '/orders/A-1003', { status: 409 })[0]).to.include('Tried to')
    expect(said('DELETE', '/orders/A-1003')).to.deep.equal([undefined, undefined])
  })
})
