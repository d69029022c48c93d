import { expect } from 'chai'
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from 'jose'
import {
  ENDED,
  expectVerdict,
  verdict,
} from '../../packages/resource-server/test/status/status-provider.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { signCheckpoint } from '../../src/siblings/index.ts'
import { renewed } from '../support/shared.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { startRestartedProvider } from './restarted-provider.ts'

/** The longest time that an API may not know, in seconds, while the list can be had. */
const PROMISE = 8
/** The least time that docs/production.md has a key published before it signs, in seconds. */
const PUBLISHED_BEFORE = 60

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' }
}

async function verifies(checkpoint: string, { keys }: JSONWebKeySet): Promise<boolean> {
  const typ = 'impersonation-audit-checkpoint+jwt'
  return jwtVerify(checkpoint, createLocalJWKSet({ keys }), { typ }).then(
    () => true,
    () => false,
  )
}

const signedBy = (token: string) => decodeProtectedHeader(token).kid

describe('docs/production.md: the rotation of keys', () => {
  const adapter = createMemoryAdapter()
  let first: JWK
  let second: JWK
  let third: JWK

  before(async () => {
    first = await newKey('first')
    second = await newKey('second')
    third = await newKey('third')
  })
  const clock = renewed(stoppedClock)
  const provider = renewed(startRestartedProvider)
  beforeEach(() => provider.serve({ adapter, keys: [first] }))

  /** Steps 1 and 2, each copy after the other: `published` signs after that. */
  function rotate(signing: JWK, published: JWK): void {
    const both = [signing, published]
    provider.serve({ adapter, keys: [signing] }, { adapter, keys: both })
    provider.serve({ adapter, keys: both }, { adapter, keys: both })
    clock.pass(PUBLISHED_BEFORE)
    provider.serve({ adapter, keys: both }, { adapter, keys: both.toReversed() })
    provider.serve({ adapter, keys: both.toReversed() }, { adapter, keys: both.toReversed() })
  }

  it('twice, with impersonations running: none is cut off, and each end is seen by every API', async () => {
    const api = provider.newApi()
    const ofFirst = await provider.run()
    const endsLater = await provider.run()
    expect(signedBy(ofFirst.token)).to.equal('first')
    await expectVerdict(api, ofFirst.token, 'alice')

    rotate(first, second)
    const ofSecond = await provider.run()
    expect(signedBy(ofSecond.token)).to.equal('second')
    for (const each of [api, provider.newApi()]) {
      for (const { token } of [ofFirst, endsLater, ofSecond]) {
        await expectVerdict(each, token, 'alice')
      }
    }
    await provider.provider.impersonation.end(ofFirst.id)
    clock.pass(PROMISE)
    for (const each of [api, provider.newApi()]) {
      await expectVerdict(each, ofFirst.token, ENDED)
      await expectVerdict(each, endsLater.token, 'alice')
      await expectVerdict(each, ofSecond.token, 'alice')
    }

    // Long before the last token of the first key has expired: it stays published.
    const published = { adapter, keys: [second, third, first] }
    const signing = { adapter, keys: [third, second, first] }
    provider.serve(published, published)
    clock.pass(PUBLISHED_BEFORE)
    provider.serve(published, signing)
    provider.serve(signing, signing)
    const ofThird = await provider.run()
    expect(signedBy(ofThird.token)).to.equal('third')
    await provider.provider.impersonation.end(endsLater.id)
    await provider.provider.impersonation.end(ofSecond.id)
    clock.pass(PROMISE)
    for (const each of [api, provider.newApi()]) {
      await expectVerdict(each, ofThird.token, 'alice')
      for (const { token } of [ofFirst, endsLater, ofSecond]) {
        await expectVerdict(each, token, ENDED)
      }
    }
  })

  it('a subject token that was issued before is redeemed after it, once', async () => {
    const subjectToken = await provider.issue()
    rotate(first, second)
    const { body } = await provider.redeem(subjectToken)
    expect(signedBy(body.access_token)).to.equal('second')
    await provider.expectWorthless(subjectToken)
  })

  it('a checkpoint that was signed before verifies by the keys that were kept, and not by those published later', async () => {
    const checkpoint = await signCheckpoint(provider.provider, { heads: [] })
    const kept = await provider.publishedKeys()
    rotate(first, second)
    expect(await verifies(checkpoint, await provider.publishedKeys())).to.equal(true)
    provider.serve({ adapter, keys: [second] })
    expect(await verifies(checkpoint, await provider.publishedKeys())).to.equal(false)
    expect(await verifies(checkpoint, kept)).to.equal(true)
    expect(JSON.stringify(kept)).not.to.include('"d"')
  })

  it('a stolen key, as docs/runbook.md has it: a guard that meets the new key takes the old one no more, any other within ten minutes', async () => {
    const [api, idle] = [provider.newApi(), provider.newApi()]
    const { token } = await provider.run()
    for (const each of [api, idle]) await expectVerdict(each, token, 'alice')
    provider.serve({ adapter, keys: [second] })
    expect(await verdict(provider.newApi(), token)).to.match(/^401 invalid_token/)
    // The key alone is gone. A guard that met no new one believes the thief.
    await expectVerdict(api, token, 'alice')
    const { id, token: fresh } = await provider.run()
    expect(signedBy(fresh)).to.equal('second')
    await expectVerdict(api, fresh, 'alice')
    clock.pass(2)
    expect(await verdict(api, token)).to.match(/^401 invalid_token/)
    await provider.provider.impersonation.end(id)
    clock.pass(PROMISE)
    await expectVerdict(api, fresh, ENDED)
    clock.pass(601 - PROMISE)
    expect(await verdict(idle, token)).to.match(/^401 invalid_token/)
  })
})
