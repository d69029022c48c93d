import { generateKeyPairSync, sign as signData } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { getListFromStatusListJWT as readByOwf } from '@owf/token-status-list'
import { getListFromStatusListJWT as readBySdJwt } from '@sd-jwt/jwt-status-list'
import { expect } from 'chai'
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { type Configuration, ExternalSigningKey, Provider } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { publicKeys } from '../../src/host/configuration.ts'
import { StatusBits } from '../../src/tokens/status-bits.ts'
import { type StatusLists, statusListSigner, statusLists } from '../../src/tokens/status-list.ts'
import { signingKey } from '../support/deployment.ts'
import { Drawn, HOUR, ISSUER, Store, settled } from './remembering-store.ts'

/** Section 4.1, the first example: 16 statuses. */
const SHORT = [0, 3, 4, 5, 7, 8, 9, 13, 15]
/** Appendix "Test vectors", 1 bit: 2^20 statuses. */
const LONG = [0, 1993, 25460, 159495, 495669, 554353, 645645, 723232, 854545, 934534, 1000345]
const LONG_LST =
  'eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb'

type Claims = JWTPayload & {
  ttl: number
  status_list: { bits: number; lst: string; aggregation_uri: string }
}

function providerWith(configuration: Configuration = {}): Provider {
  return new Provider(ISSUER, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    ...configuration,
    features: { devInteractions: { enabled: false }, ...configuration.features },
  } as Configuration)
}

const provider = providerWith()

/** A process that draws and serves, and a list with an ended token at each index. */
async function process(store = new Store(), signer = statusListSigner(provider)) {
  if (!signer) throw new Error('the provider has no key')
  const signed = { count: 0 }
  const indices = store.process()
  const lists = statusLists({
    issuer: ISSUER,
    adapter: store.adapter,
    indices,
    sign: (claims) => {
      signed.count += 1
      return signer(claims)
    },
    now: () => store.time,
  })
  const { list } = await indices.draw()
  await settled()
  return { store, lists, list, signed, indices }
}

async function endedAt(store: Store, list: string, indices: readonly number[]): Promise<void> {
  for (const index of indices) {
    await store.issue(`${list}-${index}`, list, index)
    await store.end(`${list}-${index}`)
  }
}

async function tokenOf(lists: StatusLists, list: string): Promise<string> {
  const signed = await lists.find(list)
  if (!signed) throw new Error('there is no such list')
  return signed.token
}

function setBits(lst: string): number[] {
  const bytes = inflateSync(Buffer.from(lst, 'base64url'))
  return [...bytes].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => byte & (1 << bit)).map((bit) => at * 8 + bit),
  )
}

describe('the bits of a status list', () => {
  // Section 4.1: "[…] the blocks being packed into bytes from the least significant bit ("0") to
  // the most significant bit ("7")."
  // Section 4.2: "The value MUST be the base64url-encoded compressed byte array".
  it("are the draft's examples", async () => {
    const short = new StatusBits(16)
    short.set(SHORT)
    expect(await short.encode()).to.equal('eNrbuRgAAhcBXQ')
    const long = new StatusBits(2 ** 20)
    long.set(LONG)
    const lst = await long.encode()
    expect(inflateSync(Buffer.from(lst, 'base64url'))).to.deep.equal(
      inflateSync(Buffer.from(LONG_LST, 'base64url')),
    )
    expect(setBits(lst)).to.deep.equal(LONG)
    expect(lst.length).to.be.at.most(LONG_LST.length + 20)
  })

  it('are never beyond the end: what is there must not be left out in silence', () => {
    for (const index of [-1, 16, 2 ** 32, 2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new StatusBits(16).set([index]), String(index)).to.throw(RangeError)
    }
    new StatusBits(16).set([0, 15])
  })

  it('of 1,000 ended tokens of 2^20 take less than 3 KB', async () => {
    const { store, lists, list, indices } = await process()
    const drawn = [(await indices.draw()).index]
    while (drawn.length < 1000) drawn.push((await indices.draw()).index)
    await endedAt(store, list, drawn)
    const { status_list } = decodeJwt<Claims>(await tokenOf(lists, list))
    expect(setBits(status_list.lst)).to.have.members(drawn)
    expect(Buffer.from(status_list.lst, 'base64url').length).to.be.lessThan(3000)
    const scattered = new StatusBits(2 ** 20)
    scattered.set(Array.from({ length: 1000 }, (_, n) => (n * 7_777_777 + n * n * 131) % 2 ** 20))
    expect(Buffer.from(await scattered.encode(), 'base64url').length).to.be.lessThan(3000)
  })
})

describe('a status list token', () => {
  it('is what section 5.1 says, of a list as section 4.2 says', async () => {
    const { store, lists, list } = await process()
    await endedAt(store, list, LONG)
    const token = await tokenOf(lists, list)
    // "The Status List Token MUST be encoded as a "JSON Web Token (JWT)"", and "The JWT MUST be
    // secured using a cryptographic signature or MAC algorithm."
    const keys = createLocalJWKSet(publicKeys(provider) as Parameters<typeof createLocalJWKSet>[0])
    const currentDate = new Date(store.time)
    const { payload, protectedHeader } = await jwtVerify<Claims>(token, keys, { currentDate })
    // "The JWT type MUST be `statuslist+jwt`."
    expect(protectedHeader).to.deep.equal({ alg: 'ES256', kid: 'test', typ: 'statuslist+jwt' })
    const iat = Math.floor(store.time / 1000)
    const { status_list, ...claims } = payload
    expect(claims).to.deep.equal({
      iss: ISSUER,
      // "The `sub` (subject) claim MUST specify the URI of the Status List Token. The value MUST be
      // equal to that of the `uri` claim contained in the `status_list` claim of the Referenced
      // Token."
      sub: `${ISSUER}/status-lists/${list}`,
      // "The `iat` (issued at) claim MUST specify the time at which the Status List Token was issued."
      iat,
      // "The `exp` (expiration time) claim, if present, MUST specify the time at which the Status
      // List Token is considered expired by the Status Issuer."
      exp: iat + 30,
      // "The value of the claim MUST be a positive number encoded in JSON as a number."
      ttl: 5,
    })
    // "The `status_list` (status list) claim MUST specify the Status List conforming to the
    // structure defined in" section 4.2; "The Status Issuer MUST define a number of bits (`bits`)
    // of either 1,2,4 or 8"; section 7: "The issuer of the Status List MUST choose an adequate
    // `bits` value (bit size) to be able to describe the required Status Types".
    expect(status_list).to.have.all.keys('bits', 'lst', 'aggregation_uri')
    expect(status_list.bits).to.equal(1)
    expect(status_list.aggregation_uri).to.equal(`${ISSUER}/status-lists`)
    expect(setBits(status_list.lst)).to.deep.equal(LONG)
    expect(inflateSync(Buffer.from(status_list.lst, 'base64url'))).to.have.lengthOf(2 ** 17)
  })

  it('is read by others: @sd-jwt/jwt-status-list and @owf/token-status-list', async () => {
    const { store, lists, list } = await process()
    await endedAt(store, list, LONG)
    const token = await tokenOf(lists, list)
    for (const read of [readBySdJwt, readByOwf]) {
      const theirs = read(token)
      for (const index of LONG) {
        expect(theirs.getStatus(index)).to.equal(1)
        if (!LONG.includes(index + 1)) expect(theirs.getStatus(index + 1)).to.equal(0)
      }
      expect(theirs.getStatus(2 ** 20 - 1)).to.equal(0)
      expect(() => theirs.getStatus(2 ** 20)).to.throw()
    }
  })

  it('tells of an end within a second, and signs no more often, and shares its signature', async () => {
    const { store, lists, list, signed } = await process()
    const copies = await Promise.all(Array.from({ length: 50 }, () => tokenOf(lists, list)))
    expect(new Set(copies).size).to.equal(1)
    await endedAt(store, list, [7])
    store.time += 999
    expect(await tokenOf(lists, list)).to.equal(copies[0])
    expect(signed.count).to.equal(1)
    store.time += 1
    const next = decodeJwt<Claims>(await tokenOf(lists, list))
    expect(setBits(next.status_list.lst)).to.deep.equal([7])
    expect(signed.count).to.equal(2)
    store.time -= 500_000
    expect(await tokenOf(lists, list), 'after the clock was set back').not.to.equal(copies[0])
  })

  it('has the time from before its bits were read', async () => {
    const { store, lists, list } = await process()
    const resume = Promise.withResolvers<void>()
    const before = Math.floor(store.time / 1000)
    store.onCall = (method) => {
      if (method !== 'endedIndices') return
      store.stalled = resume.promise
    }
    const token = tokenOf(lists, list)
    await settled()
    store.time += 20_000
    resume.resolve()
    expect(decodeJwt(await token)).to.include({ iat: before, exp: before + 30 })
  })

  it('keeps a bit once it has it: records go when tokens expire, and a storage may forget', async () => {
    const { store, lists, list } = await process()
    await endedAt(store, list, [7])
    await tokenOf(lists, list)
    await store.adapter.destroy(`${list}-7`)
    await endedAt(store, list, [9])
    store.time += 1000
    const { status_list } = decodeJwt<Claims>(await tokenOf(lists, list))
    expect(setBits(status_list.lst)).to.deep.equal([7, 9])
  })

  it('is there only for a list that is there', async () => {
    const { store, lists, list } = await process()
    store.calls.length = 0
    const shapes = ['', '..', `${list}=`, `${list}A`, list.slice(1), 'status-list:x', '0', '\0']
    for (const shape of shapes) expect(await lists.find(shape), shape).to.equal(undefined)
    expect(store.calls, 'no look-up for what is no name').to.deep.equal([])
    expect(await lists.find('A'.repeat(22))).to.equal(undefined)
    store.wipe()
    store.time += 1000
    expect(await lists.find(list)).to.equal(undefined)
    expect(await lists.uris()).to.deep.equal([])
  })

  it('is not made of a storage that forgot while it was read', async () => {
    const { store, lists, list } = await process()
    await endedAt(store, list, [7])
    store.onCall = (method) => {
      if (method === 'endedIndices') store.wipe()
    }
    expect(await lists.find(list)).to.equal(undefined)
  })

  it('is not made where the storage fails, and nothing is lost by that', async () => {
    for (const method of ['find', 'endedIndices']) {
      const { store, lists, list } = await process()
      await tokenOf(lists, list)
      await endedAt(store, list, [7])
      store.time += 1000
      store.broken.add(method)
      await expectRejected(lists.find(list))
      await expectRejected(lists.find(list))
      store.broken.clear()
      const { status_list } = decodeJwt<Claims>(await tokenOf(lists, list))
      expect(setBits(status_list.lst), method).to.deep.equal([7])
    }
    const { store, lists } = await process()
    store.broken.add('find')
    await expectRejected(lists.uris())
    store.broken.clear()
    expect(await lists.uris()).to.have.lengthOf(1)
  })

  it('is one of several at once, each with its own', async () => {
    const store = new Store()
    const { lists, list, indices } = await process(store)
    store.time += HOUR
    await new Drawn().from(indices, 1)
    await settled()
    const { list: newer } = await indices.draw()
    await endedAt(store, list, [1])
    await endedAt(store, newer, [2])
    const bits = async (name: string) =>
      setBits(decodeJwt<Claims>(await tokenOf(lists, name)).status_list.lst)
    expect(await Promise.all([bits(list), bits(newer)])).to.deep.equal([[1], [2]])
    expect(await lists.uris()).to.have.members(
      [list, newer].map((x) => `${ISSUER}/status-lists/${x}`),
    )
  })
})

describe('the key of a status list', () => {
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
    const { store, lists, list } = await process(new Store(), statusListSigner(external))
    const keys = createLocalJWKSet(publicKeys(external) as Parameters<typeof createLocalJWKSet>[0])
    const token = await tokenOf(lists, list)
    await jwtVerify(token, keys, { currentDate: new Date(store.time) })
    expect(decodeProtectedHeader(token).kid).to.equal(publicKeys(external).keys[0]?.kid)
  })
})

async function expectRejected(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    (error: unknown) => String(error),
  )
  expect(outcome).to.match(/the storage failed/)
}
