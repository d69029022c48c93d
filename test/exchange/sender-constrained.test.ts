import { hash, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { bindsToCertificates, certificate, otherCertificate } from '../support/certificates.ts'
import { application } from '../support/clients.ts'
import { deploy } from '../support/deployment.ts'
import { type DPoPKey, dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'

describe('I10: DPoP, as in the provider’s own grants', () => {
  const { adapter, calls } = faultyAdapter()
  let key: DPoPKey
  let htu: string
  const deployment = shared(() =>
    deploy({
      configuration: {
        adapter,
        features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 1) } },
      },
      clients: [{ ...application, client_id: 'bound', dpop_bound_access_tokens: true }],
    }),
  )
  before(async () => {
    key = await dpopKey()
    htu = `${deployment.issuer}/token`
  })

  it('a client with dpop_bound_access_tokens must prove a key; the access token is bound to it', async () => {
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, client_id: 'bound' }
    await expectAnswer(deployment.exchange(form), 400, 'invalid_grant')
    const proven = deployment.exchange(form, { dpop: await key.proof({ htu }) })
    const { body } = await expectAnswer(proven, 200)
    expect(body.token_type).to.equal('DPoP')
    expect(decodeJwt(body.access_token).cnf).to.deep.equal({ jkt: key.thumbprint })
  })

  it('a proof for another method or URL, with an unknown nonce or a second time is refused, and the subject token stays usable', async () => {
    const used = await key.proof({ htu })
    const first = { subject_token: await deployment.subjectToken() }
    await expectAnswer(deployment.exchange(first, { dpop: used }), 200)
    const subject_token = await deployment.subjectToken()
    for (const dpop of [
      await key.proof({ htu, htm: 'GET' }),
      await key.proof({ htu: 'https://elsewhere.example/token' }),
      await key.proof({ htu, nonce: 'x' }),
      used,
    ]) {
      await expectAnswer(deployment.exchange({ subject_token }, { dpop }), 400)
    }
    await deployment.redeem(subject_token)
  })

  it('a request refused for another reason leaves the proof unused', async () => {
    const dpop = await key.proof({ htu })
    const subject_token = await deployment.subjectToken()
    calls.length = 0
    const form = { subject_token, resource: 'https://unknown.example' }
    await expectAnswer(deployment.exchange(form, { dpop }), 400, 'invalid_target')
    expect(calls.filter((call) => call.startsWith('ReplayDetection'))).to.deep.equal([])
    await expectAnswer(deployment.exchange({ subject_token }, { dpop }), 200)
  })

  it('a DPoP-bound actor token is refused as a plain bearer, and with a proof of another key', async () => {
    const { access_token: actor_token } = await signIn(deployment, 'olivia', {
      headers: { dpop: await key.proof({ htu }) },
    })
    const subject_token = await deployment.subjectToken()
    const form = { subject_token, actor_token }
    await expectAnswer(deployment.exchange(form), 400, 'actor token is invalid')
    const other = { dpop: await (await dpopKey()).proof({ htu }) }
    await expectAnswer(deployment.exchange(form, other), 400)
    const { body } = await expectAnswer(
      deployment.exchange(form, { dpop: await key.proof({ htu }) }),
      200,
    )
    expect(decodeJwt(body.access_token)).to.deep.include({
      act: { sub: 'olivia' },
      cnf: { jkt: key.thumbprint },
    })
  })
})

describe('I10: mTLS, as in the provider’s own grants', () => {
  let shown: string | undefined
  const deployment = shared(() =>
    deploy({
      configuration: {
        features: bindsToCertificates(() => shown),
      },
      clients: [
        {
          ...application,
          client_id: 'bound',
          tls_client_certificate_bound_access_tokens: true,
        },
      ],
    }),
  )

  it('without a certificate the request is refused, and the subject token stays usable; with one the access token is bound to it', async () => {
    shown = undefined
    const form = { subject_token: await deployment.subjectToken(), client_id: 'bound' }
    await expectAnswer(deployment.exchange(form), 400, 'invalid_grant')
    shown = certificate
    const { body } = await expectAnswer(deployment.exchange(form), 200)
    const x5t = hash('sha256', new X509Certificate(certificate).raw, 'base64url')
    expect(decodeJwt(body.access_token).cnf).to.deep.equal({ 'x5t#S256': x5t })
  })

  it('a certificate-bound actor token needs the same certificate', async () => {
    shown = certificate
    const { access_token: actor_token } = await signIn(deployment, 'olivia', { clientId: 'bound' })
    const form = { subject_token: await deployment.subjectToken(), actor_token }
    await expectAnswer(deployment.exchange(form), 400)
    shown = otherCertificate
    await expectAnswer(deployment.exchange({ ...form, client_id: 'bound' }), 400)
    shown = certificate
    await expectAnswer(deployment.exchange({ ...form, client_id: 'bound' }), 200)
  })
})
