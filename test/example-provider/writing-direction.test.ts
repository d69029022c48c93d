import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { act, WHY } from './acting.ts'
import { type Example, exchange, postJson, send, signIn, start } from './support.ts'

/**
 * The characters that change the direction of writing (embeddings, overrides, isolates), and the
 * characters that end them.
 */
const DIRECTION = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069']
const TOLD = 'must not contain control characters, nor those that change the direction of writing'
/** Persian with a non-joiner, and a family of joined emoji. */
const JOINED = 'می\u200cخواهم \u{1f469}\u200d\u{1f467}'

describe('example provider: texts that read as something else than they say', () => {
  let example: Example
  let olivia: string
  before(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  after(() => example.close())

  const noted = async (deliveryNote: string) => {
    const request = { ...WHY, scope: 'orders:read orders:write' }
    const { body } = await postJson(`${example.url}/support/impersonations`, request, olivia)
    const scope = { scope: 'orders:write' }
    const exchanged = await exchange(example.url, body.subjectToken, olivia, scope)
    return send(`${example.url}/orders/A-1003`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${exchanged.body.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ deliveryNote }),
    })
  }

  for (const name of ['userId', 'reason', 'ticketId'] as const) {
    it(`are no ${name}`, async () => {
      for (const control of DIRECTION) {
        const request = { ...WHY, [name]: `SUP-${control}1` }
        const { status, body } = await postJson(
          `${example.url}/support/impersonations`,
          request,
          olivia,
        )
        const code = control.codePointAt(0)?.toString(16)
        expect(status, code).to.equal(400)
        expect(body.error_description, code).to.match(
          new RegExp(`^${name} .*changes the direction of writing$`),
        )
      }
    })
  }

  it('are no deliveryNote', async () => {
    for (const control of DIRECTION) {
      const { status, body } = await noted(`a${control}b`)
      expect([status, body.error_description]).to.deep.equal([400, `deliveryNote ${TOLD}`])
    }
  })

  it('are not those with joiners, which are kept as they are', async () => {
    const request = { ...WHY, reason: JOINED, ticketId: JOINED }
    const { accessToken } = await act(example.url, olivia, request)
    const said = { reason: JOINED, ticket_id: JOINED }
    expect(decodeJwt(accessToken).impersonation_context).to.deep.include(said)
    expect((await noted(JOINED)).body.deliveryNote).to.equal(JOINED)
  })
})
