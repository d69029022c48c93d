import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { renewed } from '../../../../test/support/shared.ts'
import {
  expectVerdict,
  listOf,
  type StatusProvider,
  startStatusProvider,
} from './status-provider.ts'

// The sentences are of draft-ietf-oauth-status-list-21.
describe('the guard: the token that holds a status list', () => {
  const provider = renewed(startStatusProvider)

  describe('is not believed:', () => {
    const elsewhere = 'https://other.example.com'
    const now = () => Math.floor(Date.now() / 1000)
    /** Claims of the token, or the whole token. */
    const cases: Record<string, object | ((provider: StatusProvider) => Promise<string>)> = {
      // §5.1: "The JWT type MUST be statuslist+jwt."
      'of another typ': ({ list }) => list({}, { typ: 'at+jwt' }),
      // "The value MUST be equal to that of the uri claim contained in the status_list claim of the
      // Referenced Token."
      'of another sub': ({ list, uri }) => list({ sub: `${uri}b` }),
      'without sub': { sub: undefined },
      // "The iat (issued at) claim MUST specify the time at which the Status List Token was issued."
      'without iat': { iat: undefined },
      // "The value of the claim MUST be a positive number encoded in JSON as a number."
      'with a ttl of 0': { ttl: 0 },
      'with a ttl that is text': { ttl: '5' },
      // "The status_list (status list) claim MUST specify the Status List".
      'without a list': { status_list: undefined },
      // "Relying Parties MUST reject JWTs with an invalid signature."
      'with a signature that is wrong': async ({ list }) =>
        `${(await list()).slice(0, -86)}${'A'.repeat(86)}`,
      // "Relying Parties MUST reject JWTs that are not valid in all other respects per "JSON Web
      // Token (JWT)"": RFC 7519 §4.1.1, §4.1.3, §4.1.4 and §4.1.5.
      'of another issuer': { iss: elsewhere },
      'for another audience': { aud: [elsewhere] },
      'with an exp that is its iat': ({ list }) => {
        const iat = now()
        return list({ iat, exp: iat })
      },
      'that is not valid yet': ({ list }) => list({ nbf: now() + 60 }),
      // §8.3: "If the expiration time is defined, it MUST be checked if the Status List Token is
      // expired". Here the response's own Date says so as well.
      'that has expired': ({ list }) => list({ iat: now() - 36, exp: now() - 6 }),
      'that was issued long ago, whatever its exp says': ({ list }) =>
        list({ iat: now() - 36, exp: 2 ** 33 }),
      'that is of the future': ({ list }) => list({ iat: now() + 60, exp: now() + 90 }),
    }
    for (const [what, made] of Object.entries(cases)) {
      it(what, async () => {
        provider.answer = provider.serve(() =>
          typeof made === 'function' ? made(provider) : provider.list({ ...made }),
        )
        await expectVerdict(provider.guard(), await provider.impersonated(1), '503')
        expect(provider.asked).to.have.lengthOf(1)
      })
    }
  })

  // §5.1: "The JWT MAY contain other claims." exp and ttl are RECOMMENDED.
  it('is believed with more claims, and with none but those that are required', async () => {
    const { issuer, list, serve } = provider
    for (const claims of [
      { iss: issuer, aud: 'https://api.example.com', jti: 'x', more: true },
      { iss: undefined, exp: undefined, ttl: undefined },
    ]) {
      provider.answer = serve(() => list(claims))
      await expectVerdict(provider.guard(), await provider.impersonated(1), 'alice')
    }
  })

  describe('signed by another key of the provider', () => {
    let sign: (crit?: boolean) => Promise<string>

    beforeEach(async () => {
      const { publicKey, privateKey } = await generateKeyPair('ES384')
      const keys = [provider.tokens.jwk, { ...(await exportJWK(publicKey)), kid: 'l' }]
      provider.tokens.answer.jwks = (_request, response) => response.end(JSON.stringify({ keys }))
      sign = async (crit = false) => {
        const iat = Math.floor(Date.now() / 1000)
        return await new SignJWT({ sub: provider.uri, iat, status_list: listOf([]) })
          .setProtectedHeader({
            ...{ alg: 'ES384', typ: 'statuslist+jwt', kid: 'l', x: 1 },
            ...(crit && { crit: ['x'] }),
          })
          .sign(privateKey, { crit: { x: true } })
      }
    })

    it('it is believed, also where options.algorithms has its algorithm not: that is about access tokens', async () => {
      provider.answer = provider.serve(() => sign())
      const token = await provider.impersonated(1)
      for (const algorithms of [undefined, ['ES256']]) {
        await expectVerdict(provider.guard({ algorithms }), token, 'alice')
      }
    })

    // RFC 7515 §4.1.11: "If any of the listed extension Header Parameters are not understood and
    // supported by the recipient, then the JWS is invalid."
    it('it is not believed with an extension that is not known', async () => {
      provider.answer = provider.serve(() => sign(true))
      await expectVerdict(provider.guard(), await provider.impersonated(1), '503')
    })
  })
})
