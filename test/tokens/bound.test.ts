import { expect } from 'chai'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { bindsToCertificates, certificate, otherCertificate } from '../support/certificates.ts'
import { CURRENT, END_CURRENT, REDIRECT_URI } from '../support/deployment.ts'
import { athOf, type DPoPKey, dpopKey } from '../support/dpop.ts'
import { type Answer, answerOf, basic, expectAnswer } from '../support/http.ts'
import { type Managed, managing } from '../support/managing.ts'

/** A route that takes bound tokens. */
interface Door {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The status for a good token. */
  readonly good: number
  /** Gets a token for it. */
  get(
    deployment: Managed,
    isOpaque: boolean,
    client: readonly [id: string, secret: string] | undefined,
    headers: Record<string, string>,
  ): Promise<string>
}

const impersonated: Door['get'] = async (deployment, isOpaque, client, headers) => {
  const form = { resource: `${deployment.base}/${isOpaque ? 'opaque' : 'orders'}` }
  const authorization = client && basic(...client)
  return (await deployment.impersonate(form, { ...authorization, ...headers })).token
}

const DOORS: readonly Door[] = [
  {
    method: 'POST',
    path: '/api/subject-tokens',
    good: 201,
    async get(deployment, _isOpaque, client = ['backend', 'backend-secret'], headers) {
      const form = {
        grant_type: 'client_credentials',
        resource: deployment.management,
        scope: 'impersonate',
      }
      const authorized = { ...basic(...client), ...headers }
      return (await deployment.post('/oidc/token', form, authorized)).body.access_token
    },
  },
  { method: 'GET', path: CURRENT, good: 200, get: impersonated },
  { method: 'POST', path: END_CURRENT, good: 204, get: impersonated },
]

async function send(
  { base }: Managed,
  { method, path }: Door,
  headers: Record<string, string>,
): Promise<Answer> {
  const isIssue = path.endsWith('subject-tokens')
  return answerOf(
    await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(isIssue ? { 'content-type': 'application/json' } : {}) },
      ...(isIssue ? { body: '{"userId":"alice"}' } : {}),
    }),
  )
}

for (const tokenFormat of ['jwt', 'opaque'] as const) {
  for (const door of DOORS) {
    const { method, path, good } = door

    describe(`I10: a bound token (${tokenFormat}) at ${method} ${path}`, () => {
      it('needs a DPoP proof by its key, for this request, that was not used before', async () => {
        let requireNonce = false
        await using deployment = await managing({
          impersonation: { managementApi: { tokenFormat } },
          configuration: {
            features: {
              dPoP: {
                enabled: true,
                nonceSecret: Buffer.alloc(32, 1),
                requireNonce: (ctx) => requireNonce && !ctx.path.endsWith('/token'),
              },
            },
          },
        })
        const { base, issuer } = deployment
        const isOpaque = tokenFormat === 'opaque'
        const [key, otherKey] = [await dpopKey(), await dpopKey()]
        const dpop = await key.proof({ htu: `${issuer}/token` })
        const token = await door.get(deployment, isOpaque, undefined, { dpop })
        const plain = await door.get(deployment, isOpaque, undefined, {})
        expect([token.includes('.'), plain.includes('.')]).to.deep.equal([!isOpaque, !isOpaque])
        const claims = { htm: method, htu: `${base}${path}`, ath: athOf(token) }
        const proof = (changes: object = {}, by: DPoPKey = key) =>
          by.proof({ ...claims, ...changes })
        const [asDPoP, asBearer] = [`DPoP ${token}`, `Bearer ${token}`]
        const refused: Array<[what: string, error: string, scheme: string, dpop?: string]> = [
          ['as a bearer token', 'invalid_token', asBearer],
          ['as a bearer token beside a proof', 'invalid_token', asBearer, await proof()],
          ['without a proof', 'invalid_token', asDPoP],
          ['garbage', 'invalid_dpop_proof', asDPoP, 'garbage'],
          ['by another key', 'invalid_token', asDPoP, await proof({}, otherKey)],
          ['for another URL', 'invalid_dpop_proof', asDPoP, await proof({ htu: `${base}/x` })],
          ['for another method', 'invalid_dpop_proof', asDPoP, await proof({ htm: 'PUT' })],
          ['for another token', 'invalid_dpop_proof', asDPoP, await proof({ ath: athOf('x') })],
          ['for no token', 'invalid_dpop_proof', asDPoP, await proof({ ath: undefined })],
          ['a made-up nonce', 'use_dpop_nonce', asDPoP, await proof({ nonce: 'x' })],
          [
            'a token that is not bound',
            'invalid_token',
            `DPoP ${plain}`,
            await proof({ ath: athOf(plain) }),
          ],
        ]
        for (const [what, error, authorization, dpop] of refused) {
          const headers = { authorization, ...(dpop === undefined ? {} : { dpop }) }
          const answer = await expectAnswer(send(deployment, door, headers), 401, error, what)
          const challenge = answer.headers.get('www-authenticate') ?? ''
          expect(challenge, what).to.include(`error="${error}"`)
          expect(challenge.split(' ')[0], what).to.equal(authorization.split(' ')[0])
        }
        requireNonce = true
        const authorization = asDPoP
        const asked = await expectAnswer(
          send(deployment, door, { authorization, dpop: await proof() }),
          401,
          'use_dpop_nonce',
        )
        const nonce = asked.headers.get('dpop-nonce')
        const used = { authorization, dpop: await proof({ nonce, htu: `${claims.htu}?x=1#y` }) }
        await expectAnswer(send(deployment, door, used), good)
        await expectAnswer(send(deployment, door, used), 401)
        deployment.expectNoErrors()
      })

      it('needs its certificate', async () => {
        let shown: string | undefined = certificate
        await using deployment = await managing({
          impersonation: { managementApi: { tokenFormat } },
          configuration: { features: bindsToCertificates(() => shown) },
          clients: [
            {
              client_id: 'bound',
              client_secret: 'secret',
              tls_client_certificate_bound_access_tokens: true,
              grant_types: ['authorization_code', 'client_credentials', TOKEN_EXCHANGE_GRANT_TYPE],
              redirect_uris: [REDIRECT_URI],
            },
          ],
        })
        const isOpaque = tokenFormat === 'opaque'
        const token = await door.get(deployment, isOpaque, ['bound', 'secret'], {})
        const statuses: number[] = []
        for (shown of [undefined, otherCertificate, certificate]) {
          const headers = { authorization: `Bearer ${token}` }
          statuses.push((await send(deployment, door, headers)).status)
        }
        expect(statuses).to.deep.equal([401, 401, good])
      })
    })
  }
}
