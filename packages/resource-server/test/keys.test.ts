import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { renewed } from '../../../test/support/shared.ts'
import { AUDIENCE, startTokenIssuer, type TokenIssuer } from '../../../test/support/token-issuer.ts'
import { movedClock } from '../../testing/src/moved-clock.ts'
import { RequestRefused, type ResourceServer, resourceServer } from '../src/index.ts'
import { hurriedTimeouts } from './hurried-timeouts.ts'
import { expectAlice, trouble } from './refusal.ts'

describe("the guard: the provider's keys", () => {
  let good: TokenIssuer['answer']

  const tokens = renewed(startTokenIssuer)
  beforeEach(async () => {
    good = { ...tokens.answer }
  })

  const newGuard = (options = {}) =>
    resourceServer({ issuer: tokens.issuer, audience: AUDIENCE, ...options })

  /** Returns the trouble of a good token while the keys cannot be had, which is no 401. */
  async function troubleOf(api: ResourceServer): Promise<Error> {
    const failure = await trouble(api.authenticate(`Bearer ${await tokens.token()}`))
    expect(failure.message).to.equal(`the keys of ${tokens.issuer} cannot be fetched`)
    return failure
  }

  async function expectGood(api: ResourceServer): Promise<void> {
    await expectAlice(api.authenticate(`Bearer ${await tokens.token()}`))
  }

  const outcomeOf = (api: ResourceServer, token: string) =>
    api.authenticate(`Bearer ${token}`).then(
      ({ userId }) => userId,
      (error: unknown) => (error instanceof RequestRefused ? 'refused' : 'trouble'),
    )

  it('are fetched once when they are needed, and kept', async () => {
    const asked: string[] = []
    const api = newGuard({
      fetch(url: string, init: RequestInit) {
        asked.push(new URL(url).pathname)
        return fetch(url, init)
      },
    })
    expect(tokens.asked).to.deep.equal([])
    await Promise.all(Array.from({ length: 5 }, () => expectGood(api)))
    await expectGood(api)
    expect(tokens.asked).to.deep.equal(['/.well-known/openid-configuration', '/jwks'])
    expect(asked).to.deep.equal(tokens.asked)
  })

  it('are taken from jwksUri where it is said, without discovery', async () => {
    await expectGood(newGuard({ jwksUri: tokens.jwksUri }))
    expect(tokens.asked).to.deep.equal(['/jwks'])
  })

  it('an issuer with a path, and one with a slash at its end, are discovered', async () => {
    for (const path of ['/oidc', '/oidc/']) {
      const issuer = `${tokens.issuer}${path}`
      tokens.answer.discovery = (_request, response) =>
        response.end(JSON.stringify({ issuer, jwks_uri: tokens.jwksUri }))
      tokens.asked.length = 0
      const token = await tokens.token({ iss: issuer })
      await newGuard({ issuer }).authenticate(`Bearer ${token}`)
      expect(tokens.asked[0]).to.equal('/oidc/.well-known/openid-configuration')
    }
  })

  const answered = (text: string): TokenIssuer['answer']['jwks'] => {
    return (_request, response) => response.end(text)
  }
  const unavailable: TokenIssuer['answer']['jwks'] = (_request, response) =>
    response.writeHead(503).end()

  it('a discovery document that is wrong is trouble, and is tried again', async () => {
    const { issuer, jwksUri: jwks_uri } = tokens
    for (const document of [
      { issuer: 'https://else.example', jwks_uri },
      { issuer: `${issuer}/`, jwks_uri },
      { jwks_uri },
      { issuer },
      { issuer, jwks_uri: '/jwks' },
      null,
      undefined,
    ]) {
      const api = newGuard()
      tokens.answer.discovery =
        document === undefined ? unavailable : answered(JSON.stringify(document))
      tokens.asked.length = 0
      await troubleOf(api)
      expect(tokens.asked).to.deep.equal(['/.well-known/openid-configuration'])
      Object.assign(tokens.answer, good)
      await expectGood(api)
    }
  })

  it('a provider on https whose discovery document names keys on http is trouble, and they are not asked for', async () => {
    const issuer = 'https://id.example.com'
    const asked: string[] = []
    const fetch = async (url: string) => {
      asked.push(url)
      return Response.json({ issuer, jwks_uri: 'http://id.example.com/jwks', keys: [tokens.jwk] })
    }
    const token = await tokens.token({ iss: issuer })
    expect(await outcomeOf(newGuard({ issuer, fetch }), token)).to.equal('trouble')
    expect(asked).to.deep.equal([`${issuer}/.well-known/openid-configuration`])
  })

  it('a key set that is wrong is trouble, not an invalid token', async () => {
    const ec = { kty: 'EC', crv: 'P-256', kid: 'k' }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    for (const set of [
      '<html>',
      '{"keys":"none"}',
      JSON.stringify({ keys: [{ ...ec, ...privateKey.export({ format: 'jwk' }) }] }),
      JSON.stringify({ keys: [{ ...ec, x: 'AA', y: 'AA' }] }),
    ]) {
      tokens.answer.jwks = answered(set)
      await troubleOf(newGuard())
    }
  })

  it('a provider that fails or is gone is trouble; its keys are asked for again', async () => {
    const gone = await startTokenIssuer()
    gone.close()
    for (const options of [{ issuer: gone.issuer }, { jwksUri: gone.jwksUri }]) {
      expect(await outcomeOf(newGuard(options), await tokens.token())).to.equal('trouble')
    }
    tokens.answer.jwks = unavailable
    const api = newGuard()
    await troubleOf(api)
    Object.assign(tokens.answer, good)
    await expectGood(api)
    // The discovery was good, and is kept.
    expect(tokens.asked).to.deep.equal(['/.well-known/openid-configuration', '/jwks', '/jwks'])
  })

  it('keys that do not come, and a discovery that does not, in five seconds are trouble', async () => {
    using timeouts = hurriedTimeouts(5000)
    tokens.answer.jwks = () => {}
    const api = newGuard({ jwksUri: tokens.jwksUri })
    expect(String((await troubleOf(api)).cause)).to.include('JWKSTimeout')
    tokens.answer.discovery = () => {}
    expect(String((await troubleOf(newGuard())).cause)).to.include('TimeoutError')
    expect(timeouts.asked).to.deep.equal([5000, 5000])
    Object.assign(tokens.answer, good)
    await expectGood(api)
  })

  describe('that are known', () => {
    let clock: ReturnType<typeof movedClock>
    let api: ResourceServer
    const outcome = async () => outcomeOf(api, await tokens.token({ exp: 2 ** 32 }))
    const says = async (told: string) => expect(await outcome()).to.equal(told)
    const fiveAreGood = () => Promise.all(Array.from({ length: 5 }, () => says('alice')))
    const withoutKeys = answered('{"keys":[]}')

    beforeEach(async () => {
      clock = movedClock()
      api = newGuard({ jwksUri: tokens.jwksUri })
      await says('alice')
    })
    afterEach(() => clock.restore())

    it('are asked for again after five minutes, by nobody who waits', async () => {
      clock.advance(299)
      await fiveAreGood()
      expect(tokens.asked).to.deep.equal(['/jwks'])
      tokens.answer.jwks = () => {}
      clock.advance(2)
      // None of these is ever answered by the provider.
      await fiveAreGood()
      await fiveAreGood()
      expect(tokens.asked).to.deep.equal(['/jwks', '/jwks'])
    })

    it('are good as long as the provider is away, and are asked for once a second', async () => {
      tokens.answer.jwks = unavailable
      clock.advance(3600)
      const startedAt = performance.now()
      for (let round = 0; round < 20; round += 1) await says('alice')
      const seconds = (performance.now() - startedAt) / 1000
      expect(tokens.asked.length).to.be.at.most(3 + seconds)
    })

    it('are good as long as the provider hangs, after one wait at most', async () => {
      tokens.answer.jwks = () => {}
      clock.advance(601)
      {
        using _ = hurriedTimeouts(5000)
        await fiveAreGood()
      }
      clock.advance(3600)
      const startedAt = process.hrtime.bigint()
      await fiveAreGood()
      // A fetch that is given up takes five seconds.
      expect(Number(process.hrtime.bigint() - startedAt) / 1e9).to.be.below(4)
    })

    it('are refused soon after the provider has removed them, and at once after ten idle minutes', async () => {
      tokens.answer.jwks = withoutKeys
      clock.advance(301)
      await says('alice')
      while ((await outcome()) === 'alice') await wait(5)
      Object.assign(tokens.answer, good)
      api = newGuard({ jwksUri: tokens.jwksUri })
      await says('alice')
      tokens.answer.jwks = withoutKeys
      clock.advance(601)
      await says('refused')
    })
  })

  describe('when a token names a key that is not among them', () => {
    let clock: ReturnType<typeof movedClock>
    let api: ResourceServer

    /** The keys that the provider has replaced its own by. */
    const rotated = renewed(startTokenIssuer)
    beforeEach(async () => {
      clock = movedClock()
      api = newGuard({ jwksUri: tokens.jwksUri })
      await expectGood(api)
    })
    afterEach(() => clock.restore())

    const tokenOf = (kid: string, issuer = rotated) =>
      issuer.token({ iss: tokens.issuer, exp: 2 ** 32 }, { kid })
    /** Sends a token of a new key, which the provider may have published or not. */
    const outcome = async (kid = 'new', issuer = rotated) =>
      outcomeOf(api, await tokenOf(kid, issuer))
    /** Sends five hundred tokens of invented keys at once. */
    async function invented(): Promise<ReadonlySet<string>> {
      const kids = Array.from({ length: 500 }, (_, n) => tokenOf(`${n}`))
      const invented = await Promise.all(kids)
      return new Set(await Promise.all(invented.map((token) => outcomeOf(api, token))))
    }
    const rotate: typeof good.jwks = (_request, response) =>
      response.end(JSON.stringify({ keys: [{ ...rotated.jwk, kid: 'new' }] }))

    it('a rotation in one step, just after a fetch, refuses nobody: the token waits', async () => {
      tokens.answer.jwks = rotate
      expect(await Promise.all([outcome(), outcome()])).to.deep.equal(['alice', 'alice'])
      expect(tokens.asked).to.deep.equal(['/jwks', '/jwks'])
      clock.advance(3)
      expect(await outcome('k', tokens)).to.equal('refused')
    })

    it('five hundred invented keys lead to one fetch, two seconds after the last', async () => {
      clock.advance(3)
      expect(await invented()).to.deep.equal(new Set(['refused']))
      expect(await outcome()).to.equal('refused')
      expect(tokens.asked).to.have.lengthOf(3)
      // A key that was unknown is not remembered as such.
      tokens.answer.jwks = rotate
      const startedAt = performance.now()
      expect(await outcome()).to.equal('alice')
      expect(performance.now() - startedAt).to.be.above(1500)
      expect(tokens.asked).to.have.lengthOf(4)
    })

    it('also while the provider fails: no request for each, and good tokens go on', async () => {
      tokens.answer.jwks = unavailable
      clock.advance(3)
      expect(await invented()).to.deep.equal(new Set(['trouble']))
      expect(tokens.asked).to.have.lengthOf(2)
      const again = invented()
      await expectGood(api)
      expect(await again).to.deep.equal(new Set(['trouble']))
      expect(tokens.asked).to.have.lengthOf(3)
    })

    it('it joins the fetch that is under way', async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      tokens.answer.jwks = async (request, response) => {
        await promise
        rotate(request, response)
      }
      clock.advance(301)
      expect(await outcome('k', tokens)).to.equal('alice')
      const joined = [outcome(), outcome()]
      await wait(20)
      resolve()
      expect(await Promise.all(joined)).to.deep.equal(['alice', 'alice'])
      expect(tokens.asked).to.have.lengthOf(2)
    })
  })

  it('sign with every asymmetric algorithm, unless options.algorithms says less', async () => {
    const algorithms = ['RS256', 'PS384', 'ES512', 'EdDSA', 'Ed25519']
    const pairs = await Promise.all(algorithms.map((alg) => generateKeyPair(alg)))
    const keys = await Promise.all(
      pairs.map(async ({ publicKey }, n) => ({ ...(await exportJWK(publicKey)), kid: `${n}` })),
    )
    tokens.answer.jwks = answered(JSON.stringify({ keys }))
    const api = newGuard()
    const picky = newGuard({ algorithms: ['ES256'] })
    for (const [n, alg] of algorithms.entries()) {
      const token = await new SignJWT(decodeJwt(await tokens.token()))
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: `${n}` })
        .sign(pairs[n]?.privateKey ?? new Uint8Array())
      expect(await outcomeOf(api, token), alg).to.equal('alice')
      expect(await outcomeOf(picky, token), alg).to.equal('refused')
    }
  })

  it('a token that names none of several keys is an invalid token', async () => {
    const other = await exportJWK((await generateKeyPair('ES256')).publicKey)
    const keys = [tokens.jwk, { ...other, kid: 'other' }]
    tokens.answer.jwks = answered(JSON.stringify({ keys }))
    const token = await tokens.token({}, { kid: undefined })
    expect(await outcomeOf(newGuard(), token)).to.equal('refused')
  })
})
