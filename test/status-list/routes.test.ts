import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { statusListId } from '../../src/adapters/record.ts'
import { Provider } from '../../src/index.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { renewed } from '../support/shared.ts'
import { stoppedClock } from '../support/stopped-clock.ts'

const OWN_ENDPOINT = { impersonation_end_endpoint: 'https://own.example/end' }

/** A deployment, and a status list with the index of one impersonation. */
async function deployLists(options: DeploymentOptions = {}) {
  const { adapter, faults, calls } = faultyAdapter()
  const configuration = { adapter, ...options.configuration }
  const deployment = await deploy({ ...options, configuration })
  const { impersonation } = deployment.provider
  const { id } = await impersonation.issue({ userId: 'alice' }, { as: 'backend' })
  const { idx = 0, uri = '' } = (await impersonation.get(id))?.status ?? {}
  const list = uri.split('/').at(-1) ?? ''
  return {
    ...deployment,
    adapter,
    faults,
    calls,
    id,
    index: idx,
    list,
    uri,
    path: `/oidc/status-lists/${list}`,
    /** Returns the answer of the wire: nothing is added, and JSON alone is decoded. */
    ask: async (path: string, sent: Record<string, string> = {}, method = 'GET') => {
      const { port } = new URL(deployment.base)
      const asked = request({ port, path, method, headers: sent }).end()
      const [response]: IncomingMessage[] = await once(asked, 'response')
      const bytes = Buffer.concat((await response?.toArray()) ?? [])
      const headers = response?.headers ?? {}
      const body = headers['content-type']?.includes('json') ? JSON.parse(String(bytes)) : bytes
      return { status: response?.statusCode ?? 0, headers, body }
    },
  }
}

describe('GET {issuer}/status-lists/{list}', () => {
  const clock = renewed(stoppedClock)
  const deployment = renewed(deployLists)

  it('answers as section 8 of the draft says, what a token of the list leads to', async () => {
    const { issuer, id, index, provider, uri } = deployment
    await provider.impersonation.end(id)
    // Section 6.2: "The value of `uri` MUST be a URI conforming to" RFC 3986; "The `idx` (index)
    // claim MUST specify a non-negative Integer".
    expect(new URL(uri).href).to.equal(uri)
    expect(Number.isInteger(index) && index >= 0).to.equal(true)
    // Section 8.1: "The Status Provider MUST return the Status List Token in response to an HTTP GET
    // request to the URI provided in the Referenced Token".
    const response = await fetch(uri, { headers: { accept: 'application/statuslist+jwt' } })
    // Section 8.2: "A successful response that contains a Status List Token MUST use an HTTP status
    // code in the 2xx range."
    expect(response.status).to.equal(200)
    // "the Status Provider MUST use the following content-type: "application/statuslist+jwt""
    expect(response.headers.get('content-type')).to.equal('application/statuslist+jwt')
    // "the response MUST be of type JWT and follow the rules of" section 5.1.
    const token = await response.text()
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
    const { payload } = await jwtVerify(token, keys, { typ: 'statuslist+jwt', subject: uri })
    expect(payload.iss).to.equal(issuer)
    expect(getListFromStatusListJWT(token).getStatus(index)).to.equal(1)
    expect(getListFromStatusListJWT(token).getStatus(index ^ 1)).to.equal(0)
  })

  it('can be kept for a second, and asked for again by its tag', async () => {
    const { ask, path } = deployment
    const first = await ask(path)
    expect(first.headers).to.include({
      'cache-control': 'public, max-age=1',
      'x-content-type-options': 'nosniff',
    })
    const tag = first.headers.etag ?? ''
    for (const known of [tag, `"other", ${tag}`, '*', tag.replace('W/', '')]) {
      const again = await ask(path, { 'if-none-match': known })
      expect([again.status, again.body.length], known).to.deep.equal([304, 0])
      expect(again.headers).to.include({ etag: tag, 'cache-control': 'public, max-age=1' })
      expect(again.headers.vary).to.equal(first.headers.vary)
    }
    await expectAnswer(ask(path, { 'if-none-match': '"other"' }), 200)
    clock.pass(1)
    const later = await ask(path, { 'if-none-match': tag })
    expect([later.status, later.body.length > 0]).to.deep.equal([200, true])
  })

  // Section 8.2: "The HTTP response SHOULD use Content-Encoding (such as gzip) using the content
  // negotiation and encoding mechanisms as defined in" RFC 9110.
  it('is compressed where the client says that it may be', async () => {
    const { ask, path } = deployment
    const plain = await ask(path)
    expect(plain.headers).not.to.have.property('content-encoding')
    expect(plain.headers.vary).to.equal('Accept, Accept-Encoding')
    for (const accepted of ['gzip', 'br, gzip', '*', 'GZIP', 'identity;q=0.5, gzip']) {
      const { headers, body } = await ask(path, { 'accept-encoding': accepted })
      expect(headers, accepted).to.include({
        'content-encoding': 'gzip',
        'content-type': 'application/statuslist+jwt',
        'content-length': String(body.length),
        vary: 'Accept, Accept-Encoding',
      })
      expect(gunzipSync(body)).to.deep.equal(plain.body)
      expect(body.length).to.be.lessThan(plain.body.length)
    }
    for (const accepted of ['identity', 'gzip;q=0', 'br', '']) {
      const { headers, body } = await ask(path, { 'accept-encoding': accepted })
      expect(headers, accepted).not.to.have.property('content-encoding')
      expect(body).to.deep.equal(plain.body)
    }
  })

  it('answers HEAD with the headers alone', async () => {
    const { ask, path } = deployment
    const [get, head] = [await ask(path), await ask(path, {}, 'HEAD')]
    expect([head.status, head.body.length]).to.deep.equal([200, 0])
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary']) {
      expect(head.headers[name], name).to.equal(get.headers[name])
    }
  })

  it('answers 406 where the client takes no such body', async () => {
    const { ask, path } = deployment
    const taken = ['*/*', 'application/*', 'text/html, application/statuslist+jwt;q=0.1', '']
    for (const accept of taken) await expectAnswer(ask(path, { accept }), 200, undefined, accept)
    const refused = [
      'application/statuslist+cwt',
      'text/html',
      'application/json',
      'application/statuslist+jwt;q=0, */*',
    ]
    for (const accept of refused) {
      const asked = ask(path, { accept })
      const { headers } = await expectAnswer(asked, 406, 'invalid_request', accept)
      expect(headers).to.include({ 'cache-control': 'no-store' })
    }
  })

  // Section 8.4: "If the Server does not support the additional query parameter, it SHOULD return a
  // status code of 501 (Not Implemented)".
  it('answers 501 for a list of another time, and takes no other query for that', async () => {
    const { ask, path } = deployment
    for (const query of ['time=1686925000', 'time=', 'a=b&time=1', 'time=1&time=2']) {
      await expectAnswer(ask(`${path}?${query}`), 501, 'invalid_request', query)
    }
    await expectAnswer(ask(`${path}?timer=1`), 200)
  })

  it('answers 404 for a list that does not exist, and no cache keeps that', async () => {
    const { adapter, ask, calls, list, path } = deployment
    const absent = [
      'A'.repeat(22),
      list.toLowerCase() === list ? list.toUpperCase() : list.toLowerCase(),
      `${list}A`,
      ...['%2e%2e', '%00', '0', `${list}%3D`, list.slice(1)],
      encodeURIComponent('status-list:x'),
      'x'.repeat(5000),
    ]
    for (const name of absent) {
      calls.length = 0
      const asked = ask(`/oidc/status-lists/${name}`)
      const { headers } = await expectAnswer(asked, 404, 'not_found', name)
      expect(headers).to.include({ 'cache-control': 'no-store' })
      if (name.length !== 22) expect(calls, 'no look-up for what is no name').to.be.empty
    }
    await expectAnswer(ask(path), 200)
    await adapter('SubjectToken').destroy(statusListId(list))
    clock.pass(1)
    await expectAnswer(ask('/oidc/status-lists'), 200, { status_lists: [] })
    await expectAnswer(ask(path), 404)
  })

  it('answers 500 where the storage fails, never 404, and tells the provider', async () => {
    const { ask, faults, path, provider } = deployment
    const serverErrors: unknown[] = []
    provider.on('server_error', (ctx, error) => serverErrors.push([ctx.oidc.provider, error]))
    await ask(path)
    clock.pass(1)
    faults.add('SubjectToken.find')
    for (const each of [path, path.replace(/[^/]+$/, 'A'.repeat(22))]) {
      const { headers } = await expectAnswer(ask(each), 500, {
        error: 'server_error',
        error_description: 'oops! something went wrong',
      })
      expect(headers).to.include({ 'cache-control': 'no-store' })
      expect(headers).not.to.have.property('etag')
    }
    expect(serverErrors).to.have.lengthOf(2)
    for (const error of serverErrors) expect(error).to.have.property('0', provider)
    provider.on('server_error', () => {
      throw new Error('a listener fails')
    })
    await expectAnswer(ask(path), 500)
  })

  // Section 8.1: "The HTTP endpoint SHOULD support the use of Cross-Origin Resource Sharing (CORS)".
  it('is for pages of every origin, and so is what it refuses', async () => {
    const { ask, path } = deployment
    const origin = 'https://console.example'
    for (const each of [path, '/oidc/status-lists', '/oidc/status-lists/none', `${path}?time=1`]) {
      const { headers } = await ask(each, { origin })
      expect(headers['access-control-allow-origin'], each).to.equal('*')
      expect(headers['access-control-expose-headers'], each).to.equal('ETag')
    }
    const preflight = await ask(
      path,
      {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
      'OPTIONS',
    )
    expect(preflight.status).to.equal(204)
    expect(preflight.headers).to.include({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*',
      'access-control-max-age': '3600',
    })
    const options = await ask(path, {}, 'OPTIONS')
    expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS'])
  })
})

describe('GET {issuer}/status-lists', () => {
  it('names the lists that have not retired', async () => {
    using clock = stoppedClock()
    await using lists = await deployLists()
    const { ask, calls, faults, uri } = lists
    // Section 9.3: "the returned media type MUST be `application/json`"; "`status_lists`: REQUIRED.
    // JSON array of strings that contains URIs linking to Status List Tokens."
    const listed = { status_lists: [uri] }
    const { headers } = await expectAnswer(ask('/oidc/status-lists'), 200, listed)
    expect(headers).to.include({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=1',
    })
    const known = { 'if-none-match': headers.etag ?? '' }
    await expectAnswer(ask('/oidc/status-lists', known), 304)
    await expectAnswer(ask('/oidc/status-lists', { accept: 'text/html' }), 406)
    calls.length = 0
    await Promise.all(Array.from({ length: 20 }, () => ask('/oidc/status-lists')))
    expect(calls, 'within a second').to.deep.equal([])
    clock.pass(1)
    faults.add('SubjectToken.list')
    await expectAnswer(ask('/oidc/status-lists'), 500)
    faults.clear()
    clock.pass(36_000)
    await expectAnswer(ask('/oidc/status-lists'), 200, { status_lists: [] })
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
      const { body: metadata } = await ask(`/oidc/.well-known/${document}`)
      expect(metadata).to.include({
        service_documentation: 'https://docs.example',
        status_list_aggregation_endpoint: `${issuer}/status-lists`,
        ...OWN_ENDPOINT,
      })
      const { body: theirs } = await other.ask(`/oidc/.well-known/${document}`)
      expect(theirs).to.include({
        status_list_aggregation_endpoint: `${other.issuer}/status-lists`,
        impersonation_end_endpoint: `${other.issuer}/impersonations/current/end`,
      })
      expect(theirs).not.to.have.property('service_documentation')
    }
  })

  it('are of the issuer, whatever a request calls its host', async () => {
    await using lists = await deployLists({
      make: (at, configuration) => new Provider(`${at}/`, configuration),
    })
    const { ask, issuer, path, uri } = lists
    expect(uri).to.equal(`${issuer}/status-lists/${path.split('/').at(-1)}`)
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { body } = await ask(path, forged)
    const { payload } = await jwtVerify(body, createRemoteJWKSet(new URL(`${issuer}/jwks`)))
    expect(payload.sub).to.equal(uri)
    expect(JSON.stringify(payload)).not.to.include('evil')
    await expectAnswer(ask('/oidc/status-lists', forged), 200, { status_lists: [uri] })
  })

  it('are for the origins that the host application says, where it says so', async () => {
    await using lists = await deployLists({
      middleware: (ctx, next) => {
        ctx.set('Access-Control-Allow-Origin', 'https://console.example')
        return next()
      },
    })
    const { ask, path } = lists
    const { headers } = await ask(path)
    expect(headers['access-control-allow-origin']).to.equal('https://console.example')
  })
})
