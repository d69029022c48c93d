import { deflateSync } from 'node:zlib'
import { expect } from 'chai'
import { dpopKey } from '../../../../test/support/dpop.ts'
import { renewed } from '../../../../test/support/shared.ts'
import { StatusUnavailable } from '../../src/index.ts'
import { trouble } from '../refusal.ts'
import {
  ENDED,
  expectVerdict,
  type StatusProvider,
  startStatusProvider,
  verdict,
} from './status-provider.ts'

// The sentences are of draft-ietf-oauth-status-list-21.
describe('the guard: the status of impersonated tokens', () => {
  const provider = renewed(startStatusProvider)

  it('an impersonation that has ended is refused, and its neighbours are not', async () => {
    provider.ended.add(41)
    const api = provider.guard()
    for (const [idx, expected] of [
      [40, 'alice'],
      [41, ENDED],
      [42, 'alice'],
      [1023, 'alice'],
    ] as const) {
      await expectVerdict(api, await provider.impersonated(idx), expected)
    }
    expect(provider.asked).to.deep.equal(['/status-lists/a'])
    // An actor alone makes a token impersonated, too.
    const acted = { act: { sub: 'olivia' }, status: provider.status(41) }
    await expectVerdict(api, await provider.tokens.token(acted), ENDED)
  })

  // §7.1: "0x01 - "INVALID"", "0x02 - "SUSPENDED"", and others of applications.
  it('every status but VALID refuses, whatever its number of bits', async () => {
    for (const [bits, byte, statuses] of [
      [2, 0b11_10_01_00, [0, 1, 2, 3]],
      [4, 0x20, [0, 2]],
      [8, 0xff, [255]],
    ] as const) {
      const lst = deflateSync(Uint8Array.from([byte])).toString('base64url')
      provider.answer = provider.serve(() => provider.list({ status_list: { bits, lst } }))
      const api = provider.guard()
      for (const [idx, status] of statuses.entries()) {
        const expected = status === 0 ? 'alice' : ENDED
        await expectVerdict(api, await provider.impersonated(idx), expected, `${bits}`)
      }
    }
  })

  // §8.3: "If the provided index is out of bounds of the Status List, no statement about the status
  // of the Referenced Token can be made and the Referenced Token MUST be rejected."
  it('an index beyond the end of the list is refused', async () => {
    const api = provider.guard()
    for (const idx of [1024, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      await expectVerdict(
        api,
        await provider.impersonated(idx),
        '401 invalid_token: status of the access token is not in its list',
      )
    }
  })

  it('ordinary tokens lead to no fetch, also with a status of their own', async () => {
    provider.answer = () => {}
    const api = provider.guard({ requireStatus: true })
    for (const status of [undefined, provider.status(1), 'active', null]) {
      await expectVerdict(api, await provider.tokens.token({ status }), 'alice')
    }
    expect(provider.asked).to.deep.equal([])
  })

  it('requireStatus refuses impersonated tokens without a status; without it they pass', async () => {
    const token = await provider.impersonated({})
    await expectVerdict(provider.guard(), token, 'alice')
    await expectVerdict(
      provider.guard({ requireStatus: true }),
      token,
      '401 invalid_token: access token has no status',
    )
    const good = await provider.impersonated(1)
    await expectVerdict(provider.guard({ requireStatus: true }), good, 'alice')
  })

  // §8.3: "If the validation procedures for the Referenced Token determine it is invalid, further
  // procedures regarding Status List MUST NOT be performed, e.g. fetching a Status List Token".
  it('a token that is not valid, or not of its sender, leads to no fetch', async () => {
    const { tokens } = provider
    const impersonation = { jti: 'impersonation:x', status: provider.status(1) }
    const { thumbprint } = await dpopKey()
    const good = await tokens.token(impersonation)
    for (const token of [
      `${good.slice(0, -86)}${'A'.repeat(86)}`,
      await tokens.token({ ...impersonation, exp: 1 }),
      await tokens.token({ ...impersonation, aud: 'https://other.example.com' }),
      await tokens.token({ ...impersonation, cnf: { jkt: thumbprint } }),
      await tokens.token({ ...impersonation, cnf: { 'x5t#S256': thumbprint } }),
    ]) {
      const api = provider.guard({ dPoP: { baseUrl: 'https://api.example.com' } })
      expect(await verdict(api, token)).to.match(/^401 invalid_token/)
    }
    expect(provider.asked).to.deep.equal([])
  })

  describe('a status that is malformed is refused, without a fetch:', () => {
    const cases: Record<string, (provider: StatusProvider) => unknown> = {
      // §6.2: "The status (status) claim MUST specify a JSON Object that contains at least one
      // reference to a status mechanism."
      null: () => null,
      'a list': ({ status }) => [status(1)],
      'of another mechanism': () => ({ status_assertion: { credential_hash_alg: 'sha-256' } }),
      // "It MUST specify a JSON Object that contains a reference to a Status List Token."
      'a status_list that is null': () => ({ status_list: null }),
      // "The idx (index) claim MUST specify a non-negative Integer".
      'without idx': ({ uri }) => ({ status_list: { uri } }),
      'a negative idx': ({ status }) => status(-1),
      'a fraction': ({ status }) => status(1.5),
      'an idx that is no safe integer': ({ status }) => status(2 ** 53),
      // "The uri (URI) claim MUST specify a String value that identifies the Status List Token".
      'without uri': () => ({ status_list: { idx: 1 } }),
      'a uri that is no URL': ({ status }) => status(1, '/status-lists/a'),
      'a uri elsewhere': ({ status }) => status(1, 'https://other.example.com/status-lists/a'),
    }
    for (const [what, status] of Object.entries(cases)) {
      it(what, async () => {
        const token = await provider.impersonated({ status: status(provider) })
        await expectVerdict(
          provider.guard(),
          token,
          '401 invalid_token: status of the access token is malformed',
        )
        expect(provider.asked).to.deep.equal([])
      })
    }
  })

  it('a list that cannot be had is trouble of the API, told with its cause, and no 401', async () => {
    provider.answer = (_request, response) => response.writeHead(404).end()
    const token = await provider.impersonated(1)
    const failure = await trouble(provider.guard().authenticate(`Bearer ${token}`))
    expect(failure).to.be.instanceOf(StatusUnavailable)
    expect(failure).to.have.property('message', `the status list ${provider.uri} cannot be fetched`)
    expect(failure).to.deep.include({ status: 503, statusCode: 503 })
    expect(failure).to.have.nested.property('headers.Retry-After', '1')
    expect(String(failure.cause)).to.include('answered 404')
  })
})
