import { expect } from 'chai'
import { acting, expectSaid, operating, optionsOf, servedSites } from './support/page.ts'

describe('a page that accepts an impersonation', () => {
  const sites = servedSites()

  it('acts as the customer, from another site than the provider', async () => {
    const opening = { context: { ticket: 'SUP-1' } }
    await using person = await acting(sites, ['/orders/17?sort=new#/notes', opening])
    const { page } = person
    expect(page.url()).to.equal(`${sites.application.url}/orders/17?sort=new#/notes`)
    const answer = await page.evaluate(async (url) => {
      const response = await session?.fetch(url)
      return response?.json()
    }, sites.resource)
    expect(answer).to.deep.equal({ ordersOf: 'alice', seenBy: 'olivia' })
    const told = await page.evaluate(() => ({
      actor: session?.actor.sub,
      scope: session?.scope,
      context: session?.context,
      left: Number(session?.expiresAtMs) - Date.now(),
    }))
    expect(told).to.deep.include({ actor: 'olivia', scope: ['orders:read'] })
    expect(told.context).to.deep.include({ impersonation_context: { ticket: 'SUP-1' } })
    expect(told.left).to.be.within(880_000, 900_000)
  })

  it('has the token out of the address before the call returns, and one exchange for two calls', async () => {
    await using person = await operating(sites)
    const { page } = person
    const heard: unknown[] = []
    page.on('console', (message) => heard.push(message.text()))
    sites.application.script = `
import { acceptImpersonation } from 'oidc-provider-impersonation-browser'
const options = ${JSON.stringify(optionsOf(sites))}
const before = location.hash.includes('impersonation=')
const calls = [acceptImpersonation(options), acceptImpersonation(options)]
const after = location.hash
Promise.all(calls).then(([one, other]) => {
  document.getElementById('said').textContent = one === other ? 'one session' : 'two'
})
console.info(before + ' ' + after)
`
    const before = sites.log.length
    await page.goto(await sites.link('/#own'))
    await expectSaid(page, 'one session')
    expect(heard).to.deep.equal(['true #own', 'false #own'])
    const exchanges = sites.log.slice(before).filter((line) => line.startsWith('POST /oidc/token '))
    // Of the back office, of the code, and of the subject token.
    expect(exchanges).to.have.length(3)
  })

  it('sends every request by the function that the application gives', async () => {
    await using person = await operating(sites)
    const { page } = person
    sites.application.script = `
import { acceptImpersonation } from 'oidc-provider-impersonation-browser'
const own = globalThis.fetch
globalThis.fetch = () => Promise.reject(new Error('not by this one'))
const used = []
const options = ${JSON.stringify(optionsOf(sites, { dPoP: true, cover: false }))}
const session = await acceptImpersonation({
  ...options,
  fetch(input, init) {
    used.push(new URL(input.url ?? input).pathname)
    return own(input, init)
  },
})
await session?.fetch(${JSON.stringify(sites.resource)})
await session?.end()
document.getElementById('said').textContent = used.join(' ')
`
    await page.goto(await sites.link())
    await expectSaid(
      page,
      [
        '/oidc/.well-known/openid-configuration',
        '/oidc/token',
        '/oidc/token',
        '/oidc/impersonations/current',
        '/orders',
        '/oidc/impersonations/current/end',
      ].join(' '),
    )
  })
})
