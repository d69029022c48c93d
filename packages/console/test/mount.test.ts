import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import Koa from 'koa'
import { Provider } from 'oidc-provider-impersonation'
import { type SupportConsole, supportConsole } from 'oidc-provider-impersonation-console'
import { deploy } from './support/deployment.ts'
import { expectStatus } from './support/expect-answer.ts'
import { memoryAudit } from './support/memory-audit.ts'
import { directory } from './support/people.ts'
import { configuration, MACHINE } from './support/provider.ts'
import { collectLog } from './support/quiet.ts'
import { signIn, signInPage } from './support/sign-in.ts'

interface Mounted {
  readonly provider: Provider
  readonly support: SupportConsole
}

/** Serves what `build` returns on a free port, and closes it all. */
async function serving(
  build: (parts: Mounted) => RequestListener,
  use: (url: string, parts: Mounted) => Promise<void>,
) {
  const server: Server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const shopUrl = 'https://shop.example.com'
  const provider = new Provider(`${url}/oidc`, configuration({ url, shopUrl }))
  const support = supportConsole(provider, {
    clientId: 'support-console',
    issueAs: MACHINE.clientId,
    role: ({ accountId }) => (accountId === 'olivia' ? 'operator' : undefined),
    customers: directory,
    applications: [
      {
        ...{ name: 'Shop', url: `${shopUrl}/`, clientId: 'shop', resource: `${url}/orders` },
        scopes: { read: 'orders:read' },
      },
    ],
    audit: memoryAudit(),
  })
  server.on('request', build({ provider, support }))
  const stopLog = collectLog([])
  try {
    await use(url, { provider, support })
  } finally {
    server.closeAllConnections()
    server.close()
    await support.close()
    stopLog()
  }
}

/** The console works wherever it is mounted. */
async function expectConsole(url: string, { provider, support }: Mounted) {
  await support.check()
  const { accessToken } = await signIn(provider, 'olivia')
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${url}/console${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return response.status
  }
  expect(await ask('/me')).to.equal(200)
  const body = { userId: 'alice', ticketId: '1', reason: 'x', application: 'shop', access: 'read' }
  expect(await ask('/impersonations', body)).to.equal(201)
  expect(await ask('/nothing')).to.equal(404)
  const headers = { accept: 'text/html', cookie: `support-console=${accessToken}` }
  const page = await fetch(`${url}/console/audit`, { headers })
  expect(page.status).to.equal(200)
  expect(page.headers.get('content-type')).to.contain('text/html')
  const elsewhere = await fetch(`${url}/elsewhere`)
  expect(await elsewhere.text(), 'other requests go on').to.equal('something else')
}

/** All other tests have it in Koa: see support/deployment.ts. */
describe('the console, mounted', () => {
  const inExpress = ({ provider, support }: Mounted, ...before: express.RequestHandler[]) => {
    const app = express()
    if (before.length > 0) app.use(...before)
    const signInApp = new Koa()
    signInApp.use(signInPage(provider))
    app.use(support.callback())
    app.use(provider.impersonation.callback())
    app.use('/oidc', provider.callback())
    const signInPages = signInApp.callback()
    app.use((request, response, next) => {
      if (request.path.startsWith('/sign-in/')) signInPages(request, response)
      else next()
    })
    app.get('/elsewhere', (_request, response) => {
      response.send('something else')
    })
    return app
  }

  for (const [how, ...before] of [
    ['by callback()'],
    ['behind a parser of bodies, as NestJS has one', express.json()],
  ] as const) {
    it(`in Express, ${how}`, async () => {
      await serving((parts) => inExpress(parts, ...before), expectConsole)
    })
  }

  it("as a listener of Node's own server, where other requests are 404", async () => {
    await serving(
      ({ support }) => support.callback(),
      async (url) => {
        expectStatus(await fetch(`${url}/console/me`), 401)
        expectStatus(await fetch(`${url}/elsewhere`), 404)
      },
    )
  })

  it('at another path, and nothing is left at the usual one', async () => {
    await using deployment = await deploy({
      console: { path: '/staff/support', account: { clientId: 'customer-account', path: '/me' } },
    })
    expectStatus(await deployment.ask('olivia', '/me'), 200)
    const browser = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
    expectStatus(await fetch(`${deployment.url}/staff/support`, browser), 303, 'to the sign-in')
    expectStatus(await fetch(`${deployment.url}/console`), 404)
    expectStatus(await fetch(`${deployment.url}/console/me`), 404)
    expectStatus(await fetch(`${deployment.url}/staff/support2/me`), 404)
    await deployment.console.check()
  })
})
