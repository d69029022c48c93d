import { expect } from 'chai'
import { expectAnswer } from '../../../test/support/http.ts'
import { discoverProvider } from '../src/provider.ts'
import { startServerSide } from './support/server-side.ts'

const ISSUER = 'https://id.example.com/'

/** Ways in which an exchange that was sent can end without a token. */
const TROUBLES: Readonly<Record<string, () => Response>> = {
  'no answer': () => {
    throw new TypeError('fetch failed')
  },
  'a 502 of a proxy': () => new Response('Bad Gateway', { status: 502 }),
  'an answer that breaks off': () => new Response('{"access_token":"', { status: 200 }),
  'a refusal': () => Response.json({ error: 'invalid_request' }, { status: 400 }),
}

describe('an exchange', () => {
  for (const dPoP of [false, true]) {
    for (const [name, trouble] of Object.entries(TROUBLES)) {
      it(`is sent once by a page${dPoP ? ' with DPoP' : ''}, after ${name}`, async () => {
        let sent = 0
        const provider = await discoverProvider({
          issuer: new URL(ISSUER),
          clientId: 'shop',
          redirectUri: 'https://shop.example.com/',
          resource: 'https://api.example.com',
          scope: 'orders:read',
          dPoP,
          async fetch(_input, init) {
            if (init?.method === 'GET') {
              return Response.json({ issuer: ISSUER, token_endpoint: `${ISSUER}token` })
            }
            sent += 1
            return trouble()
          },
        })
        const thrown = await provider.exchange('subject', 'actor').catch((error: unknown) => error)
        expect(thrown).to.be.instanceOf(Error)
        expect(sent).to.equal(1)
      })
    }
  }

  it('is sent once by a server whose answer is lost, whatever the operator loads again', async () => {
    await using side = await startServerSide()
    let sent = 0
    side.fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (!String(init?.body).includes('subject_token=')) return response
      sent += 1
      throw new TypeError('fetch failed')
    }
    const olivia = await side.operator()
    const callback = await olivia.callbackOf()
    const { cookie } = olivia
    await expectAnswer(olivia.get(callback), 502)
    for (let again = 0; again < 2; again += 1) {
      await side.impersonations.accept(new Request(callback, { headers: { cookie } }))
    }
    expect(sent).to.equal(1)
    const { items } = await side.deployment.provider.impersonation.list({ actor: 'olivia' })
    expect(items.map(({ state }) => state)).to.deep.equal(['active'])
  })
})
