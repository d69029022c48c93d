import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Running } from './process.ts'
import type { Tokens } from './tokens.ts'

interface Exceptions {
  /** The status that refuses an operator. */
  readonly denial?: number
  /** The statuses that refuse a token. */
  readonly refusals?: readonly number[]
  /** Tokens that the software cannot tell from good ones, as the page says. */
  readonly ignored?: readonly string[]
}

/** What the page promises of each of its servers, as tests. */
export function keepsItsPromises(
  server: () => Running,
  tokens: () => Tokens,
  { denial = 403, refusals = [401], ignored = [] }: Exceptions = {},
): void {
  it('answers the user, who may change the email', async () => {
    const { ask } = server()
    const orders = await ask('GET', '/orders', tokens().own)
    expect([orders.status, await orders.json()]).to.deep.equal([200, { ordersOf: 'alice' }])
    expect((await ask('PUT', '/email', tokens().own)).status).to.equal(204)
  })

  it('answers an operator with a name, who may not change the email', async () => {
    const { ask } = server()
    const orders = await ask('GET', '/orders', tokens().named)
    const body = { ordersOf: 'alice', seenBy: 'olivia' }
    expect([orders.status, await orders.json()]).to.deep.equal([200, body])
    expect((await ask('PUT', '/email', tokens().named)).status).to.equal(denial)
  })

  it('answers an operator without a name, who may not change the email either', async () => {
    const { ask } = server()
    expect(decodeJwt(tokens().nameless)).not.to.have.property('act')
    expect((await ask('GET', '/orders', tokens().nameless)).status).to.equal(200)
    expect((await ask('PUT', '/email', tokens().nameless)).status).to.equal(denial)
  })

  it(`answers ${refusals.join(' or ')} to any other token, and without one`, async () => {
    const { ask } = server()
    const passed: string[] = []
    const others = [['without a token', undefined], ...Object.entries(tokens().refused)] as const
    for (const [which = '', token] of others) {
      if (ignored.includes(which)) continue
      for (const [method, path] of [
        ['GET', '/orders'],
        ['PUT', '/email'],
      ] as const) {
        const { status, headers } = await ask(method, path, token)
        if (!refusals.includes(status)) passed.push(`${method} ${path} ${which}: ${status}`)
        else if (
          status === 401 &&
          token &&
          !/^Bearer/.test(headers.get('www-authenticate') ?? '')
        ) {
          passed.push(`${method} ${path} ${which}: no challenge`)
        }
      }
    }
    expect(passed).to.deep.equal([])
  })
}
