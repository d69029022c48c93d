// The tests of pages rely on this: they find a fault.
import { expect } from 'chai'
import { visit } from '../../../packages/console/test/e2e/support/visit.ts'
import { listen } from '../../example-provider/support.ts'
import { shared } from '../../support/shared.ts'

const TOKEN = 'a-token-that-nobody-else-may-ever-see'
const PAGE = `<!doctype html><html lang="en"><head><title>A page</title>
<link rel="icon" href="data:,"></head><body><main><h1>A page</h1></main></body></html>`

describe('a page', () => {
  const server = shared(() =>
    listen((request, response) => {
      const isToken = request.url === '/token'
      response.setHeader('content-type', isToken ? 'application/json' : 'text/html')
      response.end(isToken ? JSON.stringify({ access_token: TOKEN, expires_in: 60 }) : PAGE)
    }),
  )

  it('that keeps a token is found at the end of a visit, wherever it keeps it', async () => {
    const person = await visit(server.url)
    await person.page.goto('/')
    await person.page.evaluate(async (token) => {
      await fetch('/token', { method: 'POST' })
      sessionStorage.setItem('it', token)
      localStorage.setItem('it', `["${token}"]`)
      // biome-ignore lint/suspicious/noDocumentCookie: this is the mistake that is to be found.
      document.cookie = `it=${token}`
      window.name = token
      const field = document.createElement('textarea')
      field.value = token
      document.body.append(field)
      await fetch(`/?it=${token}`)
      history.pushState({ token }, '', '/')
      await caches.open('a cache')
    }, TOKEN)
    const said = await person[Symbol.asyncDispose]().then(
      () => '',
      (error: Error) => error.message,
    )
    for (const place of [
      'sessionStorage',
      'localStorage',
      'document.cookie',
      'window.name',
      'history.state',
      'the URL /',
      'the page',
    ]) {
      expect(said).to.include(`- access_token a-token-… in ${place}`)
    }
    expect(said).to.include('- CacheStorage is in use: ["a cache"]')
  })
})
