import { expect } from 'chai'
import { type Visit, visit } from '../../../packages/console/test/e2e/support/visit.ts'
import type { Example } from '../../example-provider/support.ts'
import { blamelessPage, objections, TOKEN } from './page.ts'

describe('a token', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  /** The page asks for a token, and keeps nothing of the answer. */
  function obtain({ page }: Visit): Promise<void> {
    return page.evaluate(async () => {
      await fetch('/token', { method: 'POST' })
    })
  }

  it('is found in every place where a page could keep it', async () => {
    const said = await objections(server.url, async (person) => {
      await obtain(person)
      await person.page.evaluate((token) => {
        sessionStorage.setItem('it', token)
        localStorage.setItem('it', `["${token}"]`)
        // biome-ignore lint/suspicious/noDocumentCookie: this is the mistake that is to be found.
        document.cookie = `it=${token}`
        // biome-ignore lint/suspicious/noDocumentCookie: as above.
        document.cookie = `it=${token}; path=/elsewhere`
        window.name = token
        document.body.append(`curl -H "Bearer ${token}"`)
        history.replaceState({}, '', `#${token}`)
        history.pushState({ token }, '', '/')
      }, TOKEN)
    })
    for (const place of [
      'sessionStorage',
      'localStorage',
      'document.cookie',
      'the cookie it',
      'window.name',
      'history.state',
      'the history',
      'the URL /',
      'the page',
    ]) {
      expect(said).to.include(`- access_token a-token-… in ${place}`)
    }
  })

  it('is found in a field, in a URL that is asked for, and where it was for a moment only', async () => {
    const said = await objections(server.url, async (person) => {
      await person.page.evaluate(async (token) => {
        sessionStorage.it = token
        delete sessionStorage.it
        const field = document.createElement('textarea')
        field.value = token
        document.body.append(field)
        await fetch(`/?it=${token}`)
        // There must be no database and no cache that it could be in.
        await caches.open('a cache')
        await new Promise((resolve) => {
          indexedDB.open('a database').onsuccess = resolve
        })
      }, TOKEN)
      await obtain(person)
    })
    for (const place of ['sessionStorage', 'the URL /', 'the page']) {
      expect(said).to.include(`- access_token a-token-… in ${place}`)
    }
    expect(said).to.include('- IndexedDB is in use: ["a database"]')
    expect(said).to.include('- CacheStorage is in use: ["a cache"]')
  })

  it('is known from requests, too', async () => {
    await using person = await visit(server.url)
    const { page } = person
    await page.goto('/')
    await page.evaluate(async (token) => {
      const post = (init: RequestInit) => fetch('/token', { method: 'POST', ...init })
      await post({ headers: { authorization: `Bearer ${token}-1` } })
      await post({ body: new URLSearchParams({ actor_token: `${token}-2` }) })
      const headers = { 'content-type': 'application/json' }
      await post({ headers, body: '{' })
      await post({ headers, body: JSON.stringify({ nested: [{ subjectToken: `${token}-3` }] }) })
    }, TOKEN)
    expect(
      (await person.tokens.seen()).map(({ name, value }) => `${name} ${value}`),
    ).to.have.members([
      `access_token ${TOKEN}`,
      `access_token ${TOKEN}-1`,
      `actor_token ${TOKEN}-2`,
      `subjectToken ${TOKEN}-3`,
    ])
  })
})
