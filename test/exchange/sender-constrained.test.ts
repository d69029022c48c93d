import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { bindsToCertificates, certificate, otherCertificate } from '../support/certificates.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { signIn } from '../support/sign-in.ts'

describe('I10: DPoP, as in the provider’s own grants', () => {
  const { adapter, calls } = faultyAdapter()
  let deployment: Deployment
  let key: DPoPKey
  let htu: string
  before(async () => {
    deployment = await deploy({
      configuration: {
        adapter,
        features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } },
      },
      clients: [
        {
          client_id: 'bound',
          token_endpoint_auth_method: 'none',
          dpop_bound_access_tokens: true,
          redirect_uris: ['https://app.example.com/callback'],
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        },
      ],
    })
    key = await dpopKey()
    htu = `${deployment.issuer}/token`
  })
  after(() => deployment.close())

  it('with a proof the access token is bound to its key', async () => {
    const { status, body } = await deployment.exchange(
      { subject_token: await deployment.subjectToken() },
      { dpop: await key.proof({ htu }) },
    )
    expect(status).to.equal(200)
    expect(body.token_type).to.equal('DPoP')
    expect(decodeJwt(body.access_token).cnf).to.deep.equal({ jkt: key.thumbprint })
  })

  it('a client with dpop_bound_access_tokens must prove a key', async () => {
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, client_id: 'bound' }
    const { status, body } = await deployment.exchange(form)
    expect(status).to.equal(400)
    expect(body.error).to.equal('invalid_grant')
    const proof = { dpop: await key.proof({ htu }) }
    expect((await deployment.exchange(form, proof)).status).to.equal(200)
  })

  for (const [what, claims] of [
    ['another method', { htm: 'GET' }],
    ['another URL', { htu: 'https://elsewhere.example/token' }],
    ['an unknown nonce', { nonce: 'x' }],
  ] as const) {
    it(`a proof for ${what} is refused, and the subject token stays usable`, async () => {
      const subject_token = await deployment.subjectToken()
      const dpop = await key.proof({ htu, ...claims })
      expect((await deployment.exchange({ subject_token }, { dpop })).status).to.equal(400)
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
  }

  it('a replayed proof is refused, and the subject token stays usable', async () => {
    const dpop = await key.proof({ htu })
    const first = await deployment.subjectToken()
    expect((await deployment.exchange({ subject_token: first }, { dpop })).status).to.equal(200)
    const subject_token = await deployment.subjectToken()
    const replayed = await deployment.exchange({ subject_token }, { dpop })
    expect(replayed.status).to.equal(400)
    expect(replayed.body.error).to.equal('invalid_grant')
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
  })

  it('a request refused for another reason leaves the proof unused', async () => {
    const dpop = await key.proof({ htu })
    const subject_token = await deployment.subjectToken()
    calls.length = 0
    const form = { subject_token, resource: 'https://unknown.example' }
    expect((await deployment.exchange(form, { dpop })).body.error).to.equal('invalid_target')
    expect(calls.filter((call) => call.startsWith('ReplayDetection'))).to.deep.equal([])
    expect((await deployment.exchange({ subject_token }, { dpop })).status).to.equal(200)
  })

  it('a DPoP-bound actor token is refused as a plain bearer, and with a proof of another key', async () => {
    const { access_token: actor_token } = await signIn(deployment, 'olivia', {
      headers: { dpop: await key.proof({ htu }) },
    })
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, actor_token }
    expect((await deployment.exchange(form)).body.error_description).to.match(/actor token is inv/)
    const other = { dpop: await (await dpopKey()).proof({ htu }) }
    expect((await deployment.exchange(form, other)).status).to.equal(400)
    const { status, body } = await deployment.exchange(form, { dpop: await key.proof({ htu }) })
    expect(status).to.equal(200)
    expect(decodeJwt(body.access_token)).to.deep.include({
      act: { sub: 'olivia' },
      cnf: { jkt: key.thumbprint },
    })
  })
})

describe('I10: mTLS, as in the provider’s own grants', () => {
  let deployment: Deployment
  let shown: string | undefined
  before(async () => {
    deployment = await deploy({
      configuration: {
        features: bindsToCertificates(() => shown),
      },
      clients: [
        {
          client_id: 'bound',
          token_endpoint_auth_method: 'none',
          tls_client_certificate_bound_access_tokens: true,
          redirect_uris: ['https://app.example.com/callback'],
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        },
      ],
    })
  })
  after(() => deployment.close())

  it('the access token is bound to the certificate', async () => {
    shown = certificate
    const subject_token = await deployment.subjectToken()
    const { status, body } = await deployment.exchange({ subject_token, client_id: 'bound' })
    expect(status).to.equal(200)
    const { createHash } = await import('node:crypto')
    const x5t = createHash('sha256')
      .update(new X509Certificate(certificate).raw)
      .digest('base64url')
    expect(decodeJwt(body.access_token).cnf).to.deep.equal({ 'x5t#S256': x5t })
  })

  it('without a certificate the request is refused, and the subject token stays usable', async () => {
    shown = undefined
    const form = { subject_token: await deployment.subjectToken(), client_id: 'bound' }
    expect((await deployment.exchange(form)).body.error).to.equal('invalid_grant')
    shown = certificate
    expect((await deployment.exchange(form)).status).to.equal(200)
  })

  it('a certificate-bound actor token needs the same certificate', async () => {
    shown = certificate
    const { access_token: actor_token } = await signIn(deployment, 'olivia', { clientId: 'bound' })
    const form = { subject_token: await deployment.subjectToken(), actor_token }
    expect((await deployment.exchange(form)).status).to.equal(400)
    shown = otherCertificate
    expect((await deployment.exchange({ ...form, client_id: 'bound' })).status).to.equal(400)
    shown = certificate
    expect((await deployment.exchange({ ...form, client_id: 'bound' })).status).to.equal(200)
  })
})
