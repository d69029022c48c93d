import { generateKeyPairSync, sign as signData } from 'node:crypto'
import { expect } from 'chai'
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
} from 'jose'
import {
  type AsymmetricSigningAlgorithm,
  type Configuration,
  ExternalSigningKey,
} from 'oidc-provider'
import { signCheckpoint } from '../../src/siblings/index.ts'
import { machine } from '../support/clients.ts'
import {
  type Deployment,
  type DeploymentOptions,
  deploy,
  signingKey,
} from '../support/deployment.ts'
import { answerOf, expectAnswer } from '../support/http.ts'
import { claimsOf } from '../support/own-hooks.ts'

async function keyFor(alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg }
}

/** With these keys; ID tokens, which nothing here asks for, are signed by `idTokens`. */
async function deployWith(keys: JWK[], idTokens: AsymmetricSigningAlgorithm): Promise<Deployment> {
  return deploy({
    configuration: {
      jwks: { keys } as NonNullable<Configuration['jwks']>,
      enabledJWA: { idTokenSigningAlgValues: [idTokens] },
      clientDefaults: { id_token_signed_response_alg: idTokens },
    },
  })
}

/** A machine-to-machine token that is good, and a status list. */
async function signedBy(deployment: Deployment): Promise<string[]> {
  const token = await deployment.m2mToken()
  await expectAnswer(deployment.issueBy(token), 201)
  const { body } = await answerOf(await fetch(`${deployment.issuer}/status-lists`))
  return [token, await (await fetch(body.status_lists[0])).text()]
}

describe('the key that signs machine-to-machine tokens, and status lists', () => {
  it('is the one that signs ID tokens, of any algorithm, wherever it stands in jwks', async () => {
    const algorithms = ['RS256', 'PS256', 'ES384', 'ES512', 'Ed25519', 'PS512'] as const
    const keys = await Promise.all(algorithms.map(keyFor))
    for (const [at, alg] of algorithms.entries()) {
      for (const jwks of [keys.slice(at, at + 1), keys]) {
        await using deployment = await deployWith(jwks, alg)
        for (const signed of await signedBy(deployment)) {
          expect(decodeProtectedHeader(signed)).to.include({ alg, kid: alg })
        }
      }
    }
  })

  it('else is the first of the documented preference, not of jwks', async () => {
    const keys = await Promise.all(['ES512', 'PS256', 'Ed25519'].map(keyFor))
    await using deployment = await deploy({
      configuration: {
        jwks: { keys } as NonNullable<Configuration['jwks']>,
        // No key signs ES256 here, so no client can ask for ID tokens; a machine does not.
        clientDefaults: {},
      },
      clients: [{ ...machine, client_id: 'machine', id_token_signed_response_alg: 'PS256' }],
    })
    const token = await deployment.m2mToken({}, ['machine', 'secret'])
    expect(decodeProtectedHeader(token).kid).to.equal('Ed25519')
  })

  it('may be outside the process', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    class Hsm extends ExternalSigningKey {
      override keyObject() {
        return publicKey
      }
      override async sign(data: Uint8Array) {
        return signData('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      }
    }
    await using deployment = await deploy({
      configuration: {
        jwks: { keys: [new Hsm()] } as never,
        features: { externalSigningSupport: { enabled: true, ack: 'experimental-01' } } as never,
      },
    })
    const keys = createRemoteJWKSet(new URL(`${deployment.issuer}/jwks`))
    for (const signed of await signedBy(deployment)) await jwtVerify(signed, keys)
  })

  it('of which there is none is a start-up error, with the way out', async () => {
    const encryption: JWK = { ...signingKey, use: 'enc', alg: 'ECDH-ES', kid: 'encryption' }
    const configuration: NonNullable<DeploymentOptions['configuration']> = {
      jwks: { keys: [encryption] } as NonNullable<Configuration['jwks']>,
      features: { encryption: { enabled: true } },
      enabledJWA: { idTokenSigningAlgValues: ['HS256'] },
      clientDefaults: { id_token_signed_response_alg: 'HS256' },
    }
    const failure = await deploy({ configuration }).catch(String)
    expect(failure)
      .to.match(/^TypeError/)
      .and.include("tokenFormat to 'opaque'")
    const managementApi = { tokenFormat: 'opaque' as const, clients: { issue: () => true } }
    await using opaque = await deploy({ configuration, impersonation: { managementApi } })
    const { provider, issuer, base } = opaque
    const { headers } = await opaque.issue()
    const [item] = (await provider.impersonation.list()).items
    expect(headers.get('location')).to.equal(`${base}/api/impersonations/${item?.id}`)
    const discovery = await fetch(`${issuer}/.well-known/openid-configuration`)
    const { body } = await answerOf(discovery)
    expect(body).to.include({
      impersonation_end_endpoint: `${issuer}/impersonations/current/end`,
      impersonation_current_endpoint: `${issuer}/impersonations/current`,
    })
    expect(body).to.not.have.property('status_list_aggregation_endpoint')
    expect(await signCheckpoint(provider, {}).catch(String)).to.contain('no key in jwks can sign')
  })
})

describe('managementApi.tokenTtl', () => {
  for (const tokenFormat of ['jwt', 'opaque'] as const) {
    it(`is how long they live (${tokenFormat}), whatever ttl.ClientCredentials the deployment sets for others`, async () => {
      for (const ClientCredentials of [undefined, 42, () => 42]) {
        const ttl = ClientCredentials === undefined ? {} : { ClientCredentials }
        await using deployment = await deploy({
          configuration: { ttl },
          impersonation: { managementApi: { tokenTtl: 77, tokenFormat } },
        })
        const lifeOf = async (resource: string) => {
          const { exp, iat } = await claimsOf(deployment, await deployment.m2mToken({ resource }))
          return Number(exp) - Number(iat)
        }
        expect(await lifeOf(deployment.management)).to.equal(77)
        if (ClientCredentials) expect(await lifeOf(deployment.orders)).to.equal(42)
      }
    })
  }
})
