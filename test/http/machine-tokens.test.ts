import { expect } from 'chai'
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { AsymmetricSigningAlgorithm, Configuration } from 'oidc-provider'
import { machine } from '../support/clients.ts'
import {
  type Deployment,
  type DeploymentOptions,
  deploy,
  signingKey,
} from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
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

describe('the key that signs machine-to-machine tokens', () => {
  it('is the one that signs ID tokens, of any algorithm, wherever it stands in jwks', async () => {
    const algorithms = ['RS256', 'PS256', 'ES384', 'ES512', 'Ed25519', 'PS512'] as const
    const keys = await Promise.all(algorithms.map(keyFor))
    for (const [at, alg] of algorithms.entries()) {
      for (const jwks of [keys.slice(at, at + 1), keys]) {
        await using deployment = await deployWith(jwks, alg)
        const token = await deployment.m2mToken()
        expect(decodeProtectedHeader(token)).to.include({ alg, kid: alg })
        await expectAnswer(deployment.issue({ userId: 'alice' }, { token }), 201)
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

  it('of which there is none is a start-up error, with the way out', async () => {
    const encryption: JWK = { ...signingKey, use: 'enc', alg: 'ECDH-ES', kid: 'encryption' }
    const configuration: NonNullable<DeploymentOptions['configuration']> = {
      jwks: { keys: [encryption] } as NonNullable<Configuration['jwks']>,
      features: { encryption: { enabled: true } },
    }
    const failure = await deploy({ configuration }).catch(String)
    expect(failure)
      .to.match(/^TypeError/)
      .and.include("tokenFormat to 'opaque'")
    const managementApi = { tokenFormat: 'opaque' as const }
    await (await deploy({ configuration, impersonation: { managementApi } })).close()
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
