import { generateKeyPairSync, sign as signData } from 'node:crypto'
import { expect } from 'chai'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
} from 'jose'
import { ExternalSigningKey } from 'oidc-provider'
import { publicKeys } from '../../src/host/instance.ts'
import { statusListSigner } from '../../src/status-list/sign.ts'
import { Store } from '../tokens/remembering-store.ts'
import { providerWith, servingProcess, tokenOf } from '../tokens/serving-process.ts'

describe('the key of a status list', () => {
  it('is that of machine-to-machine tokens: the one that signs ID tokens', async () => {
    const keys = await Promise.all(
      (['RS256', 'ES384', 'ES256'] as const).map(async (alg) => {
        const { privateKey } = await generateKeyPair(alg, { extractable: true })
        return { ...(await exportJWK(privateKey)), alg, kid: alg, use: 'sig' }
      }),
    )
    const several = providerWith({
      jwks: { keys } as never,
      enabledJWA: { idTokenSigningAlgValues: ['ES384'] },
      clientDefaults: { id_token_signed_response_alg: 'ES384' },
    })
    const { lists, list } = await servingProcess(new Store(), statusListSigner(several))
    const header = decodeProtectedHeader(await tokenOf(lists, list))
    expect(header).to.include({ alg: 'ES384', kid: 'ES384' })
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
    const external = providerWith({
      jwks: { keys: [new Hsm()] } as never,
      features: { externalSigningSupport: { enabled: true, ack: 'experimental-01' } } as never,
    })
    const { store, lists, list } = await servingProcess(new Store(), statusListSigner(external))
    const keys = createLocalJWKSet(publicKeys(external) as Parameters<typeof createLocalJWKSet>[0])
    const token = await tokenOf(lists, list)
    await jwtVerify(token, keys, { currentDate: new Date(store.time) })
    expect(decodeProtectedHeader(token).kid).to.equal(publicKeys(external).keys[0]?.kid)
  })
})
