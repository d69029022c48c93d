import { expect } from 'chai'
import type { JWTPayload } from 'jose'
import { CHALLENGE, type Issuer, NAMELESS, startIssuer } from './orders-issuer.ts'
import { type Answer, type Example, send } from './support.ts'

const BOTH = 'orders:read orders:write'
const ACTING = { act: { sub: 'olivia' } }

describe('example provider: changes through the orders API', () => {
  let issuer: Issuer
  let api: Example

  before(async () => {
    issuer = await startIssuer()
  })
  beforeEach(async () => {
    api = await issuer.newApi()
  })
  afterEach(() => api.close())
  after(() => issuer.close())

  const token = (claims: JWTPayload = {}, sub = 'alice'): Promise<string> =>
    issuer.token({ sub, claims: { scope: BOTH, ...claims } })

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    accessToken?: string,
  ): Promise<Answer> {
    const authorization = `Bearer ${accessToken ?? (await token())}`
    const init = { method, headers: { authorization } }
    if (body === undefined) return send(`${api.url}${path}`, init)
    return send(`${api.url}${path}`, {
      ...init,
      headers: { authorization, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  const note = (id: string, deliveryNote: unknown, accessToken?: string) =>
    ask('PATCH', `/orders/${id}`, { deliveryNote }, accessToken)
  const email = (address: unknown, accessToken?: string) =>
    ask('PUT', '/orders/email', { email: address }, accessToken)

  async function orderOf(id: string, accessToken?: string): Promise<unknown> {
    const { body } = await ask('GET', '/orders', undefined, accessToken)
    const orders: unknown = body.orders
    if (!Array.isArray(orders)) throw new Error('no orders')
    return orders.find((order) => order.id === id)
  }

  const GRINDER = { id: 'A-1003', item: 'Coffee grinder', total: 89, status: 'paid' }
  const inPerson = { changedBy: { subject: 'alice' } }

  describe('the delivery note', () => {
    it('is set, changed and removed, and the order keeps who did it', async () => {
      expect(await orderOf('A-1003')).to.deep.equal(GRINDER)
      const { status, headers, body } = await note('A-1003', 'Leave it at the door')
      expect(status).to.equal(200)
      expect(headers.get('cache-control')).to.equal('no-store')
      const noted = { ...GRINDER, deliveryNote: 'Leave it at the door', ...inPerson }
      expect(body).to.deep.equal(noted)
      expect(await orderOf('A-1003')).to.deep.equal(noted)
      expect((await note('A-1003', 'Ring twice')).body.deliveryNote).to.equal('Ring twice')
      expect((await note('A-1003', '')).body).to.deep.equal({ ...GRINDER, ...inPerson })
      expect(await orderOf('A-1003')).to.deep.equal({ ...GRINDER, ...inPerson })
      expect((await note('A-1002', 'It is on its way, and can still be told')).status).to.equal(200)
    })

    it('is set by who acts as the customer, and the order names them', async () => {
      const changedBy = { subject: 'alice', actor: 'olivia' }
      const { status, body } = await note('A-1003', 'x', await token(ACTING))
      expect([status, body.changedBy]).to.deep.equal([200, changedBy])
      expect(await orderOf('A-1003')).to.deep.include({ changedBy })
    })

    it('an impersonation that names no actor does not look like the customer in person', async () => {
      const { body } = await note('A-1003', 'x', await token(NAMELESS))
      expect(body.changedBy).to.deep.equal({ subject: 'alice', actor: null })
    })

    it('wants orders:write', async () => {
      for (const claims of [{}, ACTING]) {
        const reading = await token({ ...claims, scope: 'orders:read' })
        const { status, headers, body } = await note('A-1003', 'x', reading)
        expect([status, body.error]).to.deep.equal([403, 'insufficient_scope'])
        expect(headers.get('www-authenticate')).to.include('scope="orders:write"')
      }
      expect(await orderOf('A-1003')).to.deep.equal(GRINDER)
    })

    it("another customer's order is like none", async () => {
      const missing = await note('X-1', 'x')
      expect([missing.status, missing.body.error]).to.deep.equal([404, 'not_found'])
      for (const id of ['B-2001', '__proto__', 'constructor', '%E0%A4%A']) {
        const { status, body } = await note(id, 'x')
        expect([status, body], id).to.deep.equal([404, missing.body])
      }
      expect((await note('A-1003', 'x', await token({}, '__proto__'))).status).to.equal(404)
      expect(await orderOf('B-2001', await token({}, 'bob'))).to.not.have.property('changedBy')
    })

    it('is not for an order that was delivered', async () => {
      const { status, body } = await note('A-1001', 'too late')
      expect([status, body.error]).to.deep.equal([409, 'conflict'])
      expect(await orderOf('A-1001')).to.not.have.any.keys('deliveryNote', 'changedBy')
    })

    it('has at most 200 characters, of any script, and no control characters', async () => {
      for (const longest of ['x'.repeat(200), '😀'.repeat(200)]) {
        expect((await note('A-1003', longest)).body.deliveryNote).to.equal(longest)
      }
      for (const wrong of [
        'x'.repeat(201),
        'a\nb',
        '\u0000',
        '\ud800',
        'a\u202eb',
        1,
        null,
        {},
        [],
        undefined,
      ]) {
        const { status, body } = await note('A-1003', wrong)
        const told = [status, body.error, String(body.error_description).split(' ')[0]]
        expect(told, String(wrong)).to.deep.equal([400, 'invalid_request', 'deliveryNote'])
      }
      expect(await orderOf('A-1003')).to.deep.include({ deliveryNote: '😀'.repeat(200) })
    })

    it('refuses a body that is anything else', async () => {
      const more = await ask('PATCH', '/orders/A-1003', { deliveryNote: 'x', status: 'delivered' })
      expect([more.status, more.body.error_description]).to.deep.equal([
        400,
        'the body has a member other than deliveryNote',
      ])
      const own = '{"deliveryNote":"x","__proto__":{}}'
      for (const body of ['[]', '"x"', '{', own]) {
        expect((await ask('PATCH', '/orders/A-1003', body)).status, body).to.equal(400)
      }
      expect((await ask('PATCH', '/orders/A-1003')).status).to.equal(415)
      expect((await note('A-1003', 'x'.repeat(20_000))).status).to.equal(413)
      expect(await orderOf('A-1003')).to.deep.equal(GRINDER)
    })
  })

  describe('the contact address', () => {
    it('is changed by the customer in person, and shown from then on', async () => {
      expect((await ask('GET', '/orders')).body).to.not.have.property('email')
      const { status, headers, body } = await email('new@example.com')
      expect([status, body]).to.deep.equal([200, { email: 'new@example.com' }])
      expect(headers.get('cache-control')).to.equal('no-store')
      expect((await ask('GET', '/orders')).body.email).to.equal('new@example.com')
      const bob = await ask('GET', '/orders', undefined, await token({}, 'bob'))
      expect(bob.body).to.not.have.property('email')
    })

    it('is not for who acts as the customer, named or not, whatever the scopes', async () => {
      for (const who of [ACTING, NAMELESS]) {
        for (const scope of [BOTH, 'orders:read']) {
          const acting = await token({ ...who, scope })
          const { status, headers, body } = await email('taken@example.com', acting)
          expect([status, body.error], scope).to.deep.equal([403, 'access_denied'])
          expect(headers.get('cache-control')).to.equal('no-store')
          const noted = await note('A-1003', 'x', acting)
          expect(noted.status, 'the scope is good').to.equal(scope === BOTH ? 200 : 403)
        }
      }
      expect((await ask('GET', '/orders')).body).to.not.have.property('email')
    })

    it('wants orders:write', async () => {
      const { status, body } = await email('a@b', await token({ scope: 'orders:read' }))
      expect([status, body.error]).to.deep.equal([403, 'insufficient_scope'])
    })

    it('is an address of at most 254 characters', async () => {
      const longest = `${'a'.repeat(242)}@example.com`
      expect((await email(longest)).status).to.equal(200)
      const wrong = [
        `a${longest}`,
        'x',
        '@',
        'a@',
        '@b',
        'a@b@c',
        'a b@c',
        'a@b\u0000',
        'a@\ud800',
        'a@b\u202e',
      ]
      for (const address of [...wrong, '', 1, null, ['a@b'], undefined]) {
        const { status, body } = await email(address)
        expect([status, body.error], String(address)).to.deep.equal([400, 'invalid_request'])
      }
      const more = await ask('PUT', '/orders/email', { email: 'a@b', subject: 'bob' })
      expect(more.body.error_description).to.equal('the body has a member other than email')
      expect((await ask('GET', '/orders')).body.email).to.equal(longest)
    })

    it('of a subject called __proto__ is that one’s alone', async () => {
      const trap = await token({}, '__proto__')
      expect((await email('trap@example.com', trap)).status).to.equal(200)
      expect((await ask('GET', '/orders', undefined, trap)).body.email).to.equal('trap@example.com')
      expect((await ask('GET', '/orders')).body).to.not.have.property('email')
    })
  })

  it('each API has its own state, and begins with the same', async () => {
    await note('A-1003', 'x')
    await email('new@example.com')
    const other = await issuer.newApi()
    const headers = { authorization: `Bearer ${await token()}` }
    const { body } = await send(`${other.url}/orders`, { headers })
    await other.close()
    expect(body).to.not.have.property('email')
    expect(body.orders).to.deep.include(GRINDER)
  })

  it('asks for a token everywhere', async () => {
    for (const [method, path] of [
      ['PATCH', '/orders/A-1003'],
      ['PUT', '/orders/email'],
    ]) {
      const { status, headers } = await send(`${api.url}${path}`, { method: String(method) })
      expect(status).to.equal(401)
      expect(headers.get('www-authenticate')).to.equal(CHALLENGE)
    }
  })

  it('says which methods there are', async () => {
    const paths = { '/orders': 'GET, HEAD', '/orders/A-1003': 'PATCH', '/orders/email': 'PUT' }
    for (const [path, allowed] of Object.entries(paths)) {
      for (const method of ['POST', 'DELETE', allowed === 'PUT' ? 'PATCH' : 'PUT']) {
        const { status, headers, body } = await ask(method, path, {})
        expect([status, headers.get('allow'), body.error], `${method} ${path}`).to.deep.equal([
          405,
          allowed,
          'invalid_request',
        ])
      }
    }
    expect((await ask('GET', '/orders/A-1003/items')).status).to.equal(404)
  })
})
