import { expect } from 'chai'
import Koa from 'koa'
import mount from 'koa-mount'
import { bindsToCertificates, certificate, otherCertificate } from '../support/certificates.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'

const BASIC = { authorization: `Basic ${btoa('backend:backend-secret')}` }

describe('I10: DPoP at the management API', () => {
  let deployment: Deployment
  let key: DPoPKey
  let token: string
  let htu: string
  let requireNonce = false
  before(async () => {
    deployment = await deploy({
      configuration: {
        features: {
          dPoP: {
            enabled: true,
            nonceSecret: Buffer.alloc(32, 1),
            requireNonce: (ctx) => requireNonce && ctx.path.endsWith('/subject-tokens'),
          },
        },
      },
    })
    key = await dpopKey()
    htu = `${deployment.base}/api/subject-tokens`
    token = await boundToken(key)
  })
  after(() => deployment.close())

  async function boundToken(by: DPoPKey): Promise<string> {
    const dpop = await by.proof({ htu: `${deployment.issuer}/token` })
    const { body } = await deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource: deployment.management, scope: 'impersonate' },
      { ...BASIC, dpop },
    )
    expect(body.token_type).to.equal('DPoP')
    return body.access_token
  }

  async function issueWith(dpop: string | undefined, authorization = `DPoP ${token}`) {
    const headers = { authorization, ...(dpop === undefined ? {} : { dpop }) }
    return deployment.issue({ userId: 'alice' }, { token, headers })
  }

  it('accepts a bound token with a proof of its key', async () => {
    const dpop = await key.proof({ htu, ath: athOf(token) })
    expect((await issueWith(dpop)).status).to.equal(201)
  })

  it('the URL at the issuer counts: query left out, mounts included, and never Host', async () => {
    const dpop = await key.proof({ htu: `${htu}?x=1#y`, ath: athOf(token) })
    expect((await issueWith(dpop)).status).to.equal(201)
    const app = new Koa()
    app.use(mount('/admin', deployment.provider.impersonation.routes()))
    const server = app.listen(0, '127.0.0.1').unref()
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const send = async (origin: string) =>
      fetch(`${base}/admin/api/subject-tokens`, {
        method: 'POST',
        headers: {
          authorization: `DPoP ${token}`,
          dpop: await key.proof({ htu: `${origin}/admin/api/subject-tokens`, ath: athOf(token) }),
          'content-type': 'application/json',
        },
        body: '{"userId":"alice"}',
      })
    expect((await send(deployment.base)).status).to.equal(201)
    expect((await send(base)).status, 'by its Host').to.equal(401)
    server.close()
    server.closeAllConnections()
  })

  const refused: Array<[what: string, error: string, proof: () => Promise<string | undefined>]> = [
    ['no proof', 'invalid_token', async () => undefined],
    ['garbage', 'invalid_dpop_proof', async () => 'garbage'],
    [
      'another method',
      'invalid_dpop_proof',
      () => key.proof({ htm: 'GET', htu, ath: athOf(token) }),
    ],
    [
      'another URL',
      'invalid_dpop_proof',
      () => key.proof({ htu: `${deployment.issuer}/token`, ath: athOf(token) }),
    ],
    ['no ath', 'invalid_dpop_proof', () => key.proof({ htu })],
    ['the ath of another token', 'invalid_dpop_proof', () => key.proof({ htu, ath: athOf('x') })],
    ['a made-up nonce', 'use_dpop_nonce', () => key.proof({ htu, ath: athOf(token), nonce: 'x' })],
    [
      'another key',
      'invalid_token',
      async () => (await dpopKey()).proof({ htu, ath: athOf(token) }),
    ],
  ]
  for (const [what, error, proof] of refused) {
    it(`401 ${error}: ${what}`, async () => {
      const { status, headers, body } = await issueWith(await proof())
      expect([status, body.error]).to.deep.equal([401, error])
      expect(headers.get('www-authenticate')).to.match(/^DPoP realm=".*algs="ES256/)
    })
  }

  it('401: a proof that was used before', async () => {
    const dpop = await key.proof({ htu, ath: athOf(token) })
    expect((await issueWith(dpop)).status).to.equal(201)
    const { status, body } = await issueWith(dpop)
    expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
  })

  it('401: a bound token as a plain bearer, with or without a proof beside it', async () => {
    for (const dpop of [undefined, await key.proof({ htu, ath: athOf(token) })]) {
      const { status, body } = await issueWith(dpop, `Bearer ${token}`)
      expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
    }
  })

  it('401: a token that is not bound, presented with DPoP', async () => {
    const plain = await deployment.m2mToken()
    const dpop = await key.proof({ htu, ath: athOf(plain) })
    const { status, body } = await issueWith(dpop, `DPoP ${plain}`)
    expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
  })

  it('hands out the nonce that it insists on', async () => {
    requireNonce = true
    const first = await issueWith(await key.proof({ htu, ath: athOf(token) }))
    expect([first.status, first.body.error]).to.deep.equal([401, 'use_dpop_nonce'])
    const nonce = first.headers.get('dpop-nonce')
    const second = await issueWith(await key.proof({ htu, ath: athOf(token), nonce }))
    requireNonce = false
    expect(second.status).to.equal(201)
  })
})

describe('I10: mTLS at the management API', () => {
  for (const tokenFormat of ['jwt', 'opaque'] as const) {
    it(`a certificate-bound token (${tokenFormat}) needs its certificate`, async () => {
      let shown: string | undefined = certificate
      const resource = 'https://id.example.com/api'
      await using deployment = await deploy({
        impersonation: { managementApi: { resource, tokenFormat } },
        configuration: {
          features: bindsToCertificates(() => shown),
        },
        clients: [
          {
            client_id: 'bound',
            client_secret: 'secret',
            tls_client_certificate_bound_access_tokens: true,
            grant_types: ['client_credentials'],
            redirect_uris: [],
            response_types: [],
          },
        ],
      })
      const token = await deployment.m2mToken({ resource }, ['bound', 'secret'])
      expect(token.includes('.')).to.equal(tokenFormat === 'jwt')
      const statuses: number[] = []
      for (shown of [certificate, otherCertificate, undefined]) {
        statuses.push((await deployment.issue({ userId: 'alice' }, { token })).status)
      }
      expect(statuses).to.deep.equal([201, 401, 401])
    })
  }
})

describe('I10: an opaque machine-to-machine token', () => {
  const resource = 'https://id.example.com/api'
  const impersonation = { managementApi: { resource, tokenFormat: 'opaque' } } as const

  it('that is bound to a DPoP key is worth nothing without a proof by that key', async () => {
    await using deployment = await deploy({
      impersonation,
      configuration: { features: { dPoP: { enabled: true } } },
    })
    const key = await dpopKey()
    const { body } = await deployment.post(
      '/oidc/token',
      { grant_type: 'client_credentials', resource, scope: 'impersonate' },
      { ...BASIC, dpop: await key.proof({ htu: `${deployment.issuer}/token` }) },
    )
    const token = body.access_token
    expect(body.token_type).to.equal('DPoP')
    expect(token).to.not.include('.')
    const proofBy = (by: DPoPKey) =>
      by.proof({ htu: `${deployment.base}/api/subject-tokens`, ath: athOf(token) })
    const statusWith = async (headers: Record<string, string>) =>
      (await deployment.issue({ userId: 'alice' }, { token, headers })).status
    const authorization = `DPoP ${token}`
    expect([
      await statusWith({}),
      await statusWith({ dpop: await proofBy(key) }),
      await statusWith({ authorization }),
      await statusWith({ authorization, dpop: await proofBy(await dpopKey()) }),
      await statusWith({ authorization, dpop: await proofBy(key) }),
    ]).to.deep.equal([401, 401, 401, 401, 201])
  })
})
