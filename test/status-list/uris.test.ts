import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { deployLists, problem } from '../impersonations/list-deployment.ts'

const OWN_ENDPOINT = { impersonation_end_endpoint: 'https://own.example/end' }

describe('GET {issuer}/status-lists', () => {
  it('names the lists that have not retired', async () => {
    await using lists = await deployLists()
    const { ask, store, uri } = lists
    const answer = await ask('/oidc/status-lists')
    expect(answer.status).to.equal(200)
    // Section 9.3: "the returned media type MUST be `application/json`"; "`status_lists`: REQUIRED.
    // JSON array of strings that contains URIs linking to Status List Tokens."
    expect(answer.headers).to.include({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=1',
    })
    expect(problem(answer)).to.deep.equal({ status_lists: [uri] })
    const known = { 'if-none-match': answer.headers.etag ?? '' }
    expect((await ask('/oidc/status-lists', known)).status).to.equal(304)
    expect((await ask('/oidc/status-lists', { accept: 'text/html' })).status).to.equal(406)
    store.calls.length = 0
    await Promise.all(Array.from({ length: 20 }, () => ask('/oidc/status-lists')))
    expect(store.calls, 'within a second').to.deep.equal([])
    store.time += 1000
    store.broken.add('list')
    expect((await ask('/oidc/status-lists')).status).to.equal(500)
    store.broken.clear()
    store.time += 10 * 3_600_000
    expect(problem(await ask('/oidc/status-lists'))).to.deep.equal({ status_lists: [] })
  })
})

describe('URIs of status lists', () => {
  const documents = ['openid-configuration', 'oauth-authorization-server']

  it('are in both discovery documents, beside what the deployment put there', async () => {
    await using lists = await deployLists({
      configuration: {
        discovery: { service_documentation: 'https://docs.example', ...OWN_ENDPOINT },
      },
    })
    const { ask, issuer } = lists
    await using other = await deployLists()
    for (const document of documents) {
      const metadata = problem(await ask(`/oidc/.well-known/${document}`))
      expect(metadata).to.include({
        service_documentation: 'https://docs.example',
        status_list_aggregation_endpoint: `${issuer}/status-lists`,
        ...OWN_ENDPOINT,
      })
      const theirs = problem(await other.ask(`/oidc/.well-known/${document}`))
      expect(theirs).to.include({
        status_list_aggregation_endpoint: `${other.issuer}/status-lists`,
        impersonation_end_endpoint: `${other.issuer}/impersonations/current/end`,
      })
      expect(theirs).not.to.have.property('service_documentation')
    }
  })

  it('are of the issuer, whatever a request calls its host', async () => {
    await using lists = await deployLists({ ending: '/' })
    const { ask, issuer, path, uri } = lists
    expect(uri).to.equal(`${issuer.slice(0, -1)}/status-lists/${path.split('/').at(-1)}`)
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { body } = await ask(path, forged)
    const { payload } = await jwtVerify(body, createRemoteJWKSet(new URL(`${issuer}jwks`)))
    expect(payload.sub).to.equal(uri)
    expect(JSON.stringify(payload)).not.to.include('evil')
    expect(problem(await ask('/oidc/status-lists', forged))).to.deep.equal({ status_lists: [uri] })
  })

  it('are for the origins that the host application says, where it says so', async () => {
    await using lists = await deployLists({
      before: (ctx, next) => {
        ctx.set('Access-Control-Allow-Origin', 'https://console.example')
        return next()
      },
    })
    const { ask, path } = lists
    const { headers } = await ask(path)
    expect(headers['access-control-allow-origin']).to.equal('https://console.example')
  })
})
