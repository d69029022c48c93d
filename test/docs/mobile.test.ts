import { createServer } from 'node:http'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import { freePort } from '../adapters/servers.ts'
import { deploy, idOf } from '../support/deployment.ts'
import { listening } from '../support/token-issuer.ts'
import { call, snippetsOf } from './documents.ts'

describe('docs/browser.md: a mobile application', () => {
  it('exchanges the link, learns of an end by asking, takes no trouble for an end, and ends it', async () => {
    await using deployment = await deploy()
    const { issuer, orders, provider } = deployment
    await using snippets = await snippetsOf('browser.md', 'js')
    /** The functions of the page, at another issuer. */
    const at = (address: string) =>
      snippets.loadFile('mobile.mjs', {
        'https://id.example.com/oidc': address,
        "'shop'": "'console'",
        'https://api.example.com/orders': orders,
      })
    const { startActing, hasEnded, end } = await at(issuer)
    const operatorToken = await deployment.actorToken()
    const begin = async () => {
      const subjectToken = await deployment.subjectToken()
      const link = impersonationUrl('https://shop.example.com/', { subjectToken })
      const token: string = await call(startActing, link, operatorToken)
      return { token, id: idOf(subjectToken) }
    }
    const first = await begin()
    expect(decodeJwt(first.token).act).to.deep.equal({ sub: 'olivia' })
    expect(await call(hasEnded, first.token)).to.equal(false)
    await provider.impersonation.end(first.id, { cause: 'user' })
    expect(await call(hasEnded, first.token)).to.equal(true)
    expect(await call(hasEnded, `${first.token.slice(0, -4)}AAAA`)).to.equal(true)
    const failing = createServer((_request, response) => response.writeHead(503).end('{}'))
    for (const trouble of [`http://127.0.0.1:${await freePort()}`, await listening(failing)]) {
      const away = await at(trouble)
      expect(await call(away.hasEnded, first.token)).to.equal(false)
    }
    const second = await begin()
    await call(end, second.token)
    expect((await provider.impersonation.get(second.id))?.end?.reason).to.equal('left')
  })
})
