import { expect } from 'chai'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { bindsToCertificates, certificate, otherCertificate } from '../support/certificates.ts'
import { REDIRECT_URI } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { bearer, end, impersonate, PATH } from '../support/ending-current.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { basic } from '../support/http.ts'
import { managing } from '../support/managing.ts'

describe('I10: …/impersonations/current/end takes a bound token with its proof alone', () => {
  const dPoP = { enabled: true, nonceSecret: Buffer.alloc(32, 1) } as const

  for (const resource of ['orders', 'opaque']) {
    it(`DPoP (${resource})`, async () => {
      let requireNonce = false
      await using deployment = await managing({
        configuration: { features: { dPoP: { ...dPoP, requireNonce: () => requireNonce } } },
      })
      const { base, issuer } = deployment
      const key = await dpopKey()
      const form = { resource: `${base}/${resource}` }
      const bind = async (by: DPoPKey) =>
        impersonate(deployment, form, { dpop: await by.proof({ htu: `${issuer}/token` }) })
      const { id, token } = await bind(key)
      const htu = `${base}${PATH}`
      const ath = athOf(token)
      const authorization = `DPoP ${token}`
      const refused: Array<[what: string, error: string, headers: Record<string, string>]> = [
        ['as a bearer token', 'invalid_token', bearer(token)],
        [
          'as a bearer token beside a proof',
          'invalid_token',
          { ...bearer(token), dpop: await key.proof({ htu, ath }) },
        ],
        ['without a proof', 'invalid_token', { authorization }],
        ['with garbage', 'invalid_dpop_proof', { authorization, dpop: 'x' }],
        [
          'by another key',
          'invalid_token',
          { authorization, dpop: await (await dpopKey()).proof({ htu, ath }) },
        ],
        [
          'for another URL',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htu: `${issuer}/token`, ath }) },
        ],
        [
          'for another method',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htm: 'GET', htu, ath }) },
        ],
        [
          'for another token',
          'invalid_dpop_proof',
          { authorization, dpop: await key.proof({ htu, ath: athOf('x') }) },
        ],
      ]
      for (const [what, error, headers] of refused) {
        const answer = await end(base, headers)
        expect([answer.status, answer.body.error], what).to.deep.equal([401, error])
        const scheme = headers.authorization?.split(' ')[0]
        const challenge = answer.headers.get('www-authenticate') ?? ''
        expect(challenge.startsWith(`${scheme} realm="${issuer}"`), challenge).to.equal(true)
        expect(challenge.includes(`error="${error}"`), challenge).to.equal(true)
      }
      expect((await deployment.get(`/${id}`)).body.state).to.equal('active')

      const before = (await deployment.events()).length
      requireNonce = true
      const asked = await end(base, { authorization, dpop: await key.proof({ htu, ath }) })
      expect([asked.status, asked.body.error]).to.deep.equal([401, 'use_dpop_nonce'])
      expect((await deployment.events()).length).to.equal(before)
      const nonce = asked.headers.get('dpop-nonce')
      const dpop = await key.proof({ htu, ath, nonce })
      expect((await end(base, { authorization, dpop })).status).to.equal(204)
    })
  }

  it('a proof that was used before is refused before anything ends', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await managing({ configuration: { adapter, features: { dPoP } } })
    const { base, issuer } = deployment
    const key = await dpopKey()
    const proof = await key.proof({ htu: `${issuer}/token` })
    const { id, token } = await impersonate(deployment, {}, { dpop: proof })
    const headers = {
      authorization: `DPoP ${token}`,
      dpop: await key.proof({ htu: `${base}${PATH}`, ath: athOf(token) }),
    }
    faults.add('SubjectToken.endOnce')
    expect((await end(base, headers)).status).to.equal(500)
    faults.clear()
    const replayed = await end(base, headers)
    expect([replayed.status, replayed.body.error]).to.deep.equal([401, 'invalid_token'])
    expect((await deployment.get(`/${id}`)).body.state).to.equal('active')
  })

  it('a token that is bound to no key, under the DPoP scheme', async () => {
    await using deployment = await managing({ configuration: { features: { dPoP } } })
    const { token } = await impersonate(deployment)
    const key = await dpopKey()
    const dpop = await key.proof({ htu: `${deployment.base}${PATH}`, ath: athOf(token) })
    const answer = await end(deployment.base, { authorization: `DPoP ${token}`, dpop })
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token'])
  })

  it('mTLS', async () => {
    let shown: string | undefined = certificate
    await using deployment = await managing({
      configuration: {
        features: bindsToCertificates(() => shown),
      },
      clients: [
        {
          client_id: 'bound',
          client_secret: 'secret',
          tls_client_certificate_bound_access_tokens: true,
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
          redirect_uris: [REDIRECT_URI],
        },
      ],
    })
    for (const resource of ['orders', 'opaque']) {
      shown = certificate
      const form = { resource: `${deployment.base}/${resource}` }
      const { token } = await impersonate(deployment, form, basic('bound', 'secret'))
      const statuses: number[] = []
      for (shown of [undefined, otherCertificate, certificate]) {
        statuses.push((await end(deployment.base, bearer(token))).status)
      }
      expect(statuses, resource).to.deep.equal([401, 401, 204])
    }
  })
})
