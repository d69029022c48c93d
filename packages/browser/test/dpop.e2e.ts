import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { acting, endSession, expectState, servedSites, untilEnded } from './support/page.ts'
import type { Visit } from './support/visit.ts'

for (const [title, nonceSecret] of [
  ['a token that is bound to a key of the page', undefined],
  ['a token that is bound to a key, of a provider that asks for nonces', Buffer.alloc(32, 7)],
] as const) {
  describe(title, () => {
    const dPoP = { enabled: true, requireNonce: () => nonceSecret !== undefined }
    const features = { dPoP: nonceSecret ? { ...dPoP, nonceSecret } : dPoP }
    const sites = servedSites({ configuration: { features } }, { dPoP: true })

    const expectNonce = (person: Visit) => {
      if (nonceSecret) person.expectFailure('/oidc/token', 400)
    }

    it('is sent with a proof for each request, and ends with one', async () => {
      await using person = await acting(sites, [], expectNonce)
      const { page } = person
      const answer = await page.evaluate(async (url) => {
        const response = await session?.fetch(url, { headers: { 'content-type': 'text/plain' } })
        return { type: session?.tokenType, body: await response?.json() }
      }, sites.resource)
      expect(answer).to.deep.equal({
        type: 'DPoP',
        body: { ordersOf: 'alice', seenBy: 'olivia' },
      })
      const { authorization, dpop } = sites.apiRequests.at(-1) ?? {}
      expect(decodeJwt(String(authorization).slice('DPoP '.length))).to.have.nested.property(
        'cnf.jkt',
      )
      expect(decodeJwt(String(dpop))).to.include({ htm: 'GET', htu: sites.resource })
      expect(decodeProtectedHeader(String(dpop)).jwk).to.not.have.property('d')
      await endSession(page)
      await expectState(sites, 'ended')
    })

    it('ends when the page is left', async () => {
      await using person = await acting(sites, [], expectNonce)
      const { page } = person
      await page.goto('about:blank')
      await untilEnded(sites)
    })
  })
}
