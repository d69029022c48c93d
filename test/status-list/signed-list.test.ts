import { inflateSync } from 'node:zlib'
import { getListFromStatusListJWT as readByOwf } from '@owf/token-status-list'
import { getListFromStatusListJWT as readBySdJwt } from '@sd-jwt/jwt-status-list'
import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { publicKeys } from '../../src/host/instance.ts'
import { StatusBits, statusLists } from '../../src/status-list/sign.ts'
import {
  bitsOf,
  type Claims,
  endedAt,
  expectRejected,
  HOUR,
  ISSUER,
  LONG,
  provider,
  servingProcess,
  setBits,
  settled,
  tokenOf,
} from './store.ts'

describe('a status list token', () => {
  it('is what section 5.1 says, of a list as section 4.2 says', async () => {
    const { store, lists, list } = await servingProcess(...LONG)
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

  it('is forgotten when it has retired, once there is a new one, also where the clock is set back', async () => {
    const { store, lists, list, indices } = await servingProcess()
    const before = store.time
    await tokenOf(lists, list)
    store.time += 3 * HOUR
    const { list: next } = await indices.draw()
    await tokenOf(lists, next)
    store.calls.length = 0
    expect(await lists.find(list)).to.equal(undefined)
    expect(store.calls).to.not.include('endedIndices')
    store.time = before
    await lists.find(list)
    expect(store.calls.filter((call) => call === 'find')).to.have.lengthOf(2)
  })

  it('is read by others: @sd-jwt/jwt-status-list and @owf/token-status-list', async () => {
    const { lists, list } = await servingProcess(...LONG)
    for (const read of [readBySdJwt, readByOwf]) {
      const theirs = read(await tokenOf(lists, list))
      for (const index of LONG) expect(theirs.getStatus(index)).to.equal(1)
      expect(theirs.getStatus(1)).to.equal(0)
    }
  })

  it('tells of an end within a second, and signs no more often, and shares its signature', async () => {
    const { store, lists, list, signed } = await servingProcess()
    const copies = await Promise.all(Array.from({ length: 50 }, () => tokenOf(lists, list)))
    expect(new Set(copies).size).to.equal(1)
    await endedAt(store, list, [7])
    store.time += 999
    expect(await tokenOf(lists, list)).to.equal(copies[0])
    expect(signed.count).to.equal(1)
    store.time += 1
    expect(await bitsOf(lists, list)).to.deep.equal([7])
    expect(signed.count).to.equal(2)
    store.time -= 500_000
    await tokenOf(lists, list)
    expect(signed.count, 'after the clock was set back').to.equal(3)
  })

  it('has the time from before its bits were read', async () => {
    const { store, lists, list, signed } = await servingProcess()
    const resume = Promise.withResolvers<void>()
    const before = Math.floor(store.time / 1000)
    store.onCall = (method) => {
      if (method !== 'endedIndices') return
      store.stalled = resume.promise
    }
    const token = tokenOf(lists, list)
    await settled()
    store.time += 900
    const joined = tokenOf(lists, list)
    await settled()
    store.time += 20_000
    resume.resolve()
    expect(await joined).to.equal(await token)
    expect(signed.count).to.equal(1)
    expect(decodeJwt(await token)).to.include({ iat: before, exp: before + 30 })
  })

  it('waits for no storage that another request has waited for in vain', async () => {
    const { store, lists, list } = await servingProcess(7)
    await tokenOf(lists, list)
    store.time += 1000
    const never = Promise.withResolvers<void>()
    store.stalled = never.promise
    const lost = tokenOf(lists, list)
    await settled()
    store.stalled = undefined
    await endedAt(store, list, [9])
    store.time += 1000
    expect(await bitsOf(lists, list)).to.deep.equal([7, 9])
    // The late answer takes nothing back.
    never.resolve()
    await lost
    await endedAt(store, list, [11])
    store.time += 1000
    expect(await bitsOf(lists, list)).to.deep.equal([7, 9, 11])
  })

  it('keeps a bit once it has it: records go when tokens expire, and a storage may forget', async () => {
    const { store, lists, list } = await servingProcess(7)
    await tokenOf(lists, list)
    await store.adapter.destroy(`${list}-7`)
    await endedAt(store, list, [9])
    store.time += 1000
    expect(await bitsOf(lists, list)).to.deep.equal([7, 9])
  })

  it('is not made of a storage that forgot while it was read', async () => {
    const { store, lists, list } = await servingProcess(7)
    store.onCall = (method) => {
      if (method === 'endedIndices') store.wipe()
    }
    expect(await lists.find(list)).to.equal(undefined)
  })

  it('is not made where the storage fails, and nothing is lost by that', async () => {
    for (const method of ['find', 'endedIndices']) {
      const { store, lists, list } = await servingProcess()
      await tokenOf(lists, list)
      await endedAt(store, list, [7])
      store.time += 1000
      store.broken.add(method)
      await expectRejected(lists.find(list), /the storage failed/)
      await expectRejected(lists.find(list), /the storage failed/)
      store.broken.clear()
      expect(await bitsOf(lists, list), method).to.deep.equal([7])
    }
    const { store, lists } = await servingProcess()
    store.broken.add('list')
    await expectRejected(lists.uris(), /the storage failed/)
    store.broken.clear()
    expect(await lists.uris()).to.have.lengthOf(1)
  })

  it('is one of several at once, each with its own', async () => {
    const { store, lists, list, indices } = await servingProcess()
    store.time += HOUR
    const { list: newer } = await indices.draw()
    await endedAt(store, list, [1])
    await endedAt(store, newer, [2])
    expect(await Promise.all([bitsOf(lists, list), bitsOf(lists, newer)])).to.deep.equal([[1], [2]])
    expect(await lists.uris()).to.have.members(
      [list, newer].map((x) => `${ISSUER}/status-lists/${x}`),
    )
  })
})

const LIST = 'abcdefghijklmnopqrstuv'

/** A status list over a storage that tells what is new; each turn, that is what the test says. */
function followed() {
  const turns: (readonly number[] | Error)[] = []
  const asked: string[] = []
  let now = 1_700_000_000_000
  const lists = statusLists({
    issuer: 'https://id.example.com/oidc',
    adapter: {
      endedIndices: () => expect.fail('everything is read'),
      followEnded(list) {
        asked.push(list)
        return {
          async next() {
            const turn = turns.shift() ?? []
            if (turn instanceof Error) throw turn
            return turn
          },
        }
      },
    },
    indices: { exists: async () => true, lists: async () => [LIST], vouchFor: async () => true },
    sign: async (claims) =>
      `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`,
    now: () => now,
  })
  /** Returns the bits of the list a second later. */
  const bitsAfter = async (turn: readonly number[] | Error) => {
    turns.push(turn)
    now += 1000
    const signed = await lists.find(LIST)
    return setBits(decodeJwt<Claims>(signed?.token ?? '').status_list.lst)
  }
  const readAhead = (turn: readonly number[]) => {
    turns.push(turn)
    return lists.readAhead()
  }
  return { bitsAfter, asked, readAhead }
}

describe('a status list over a storage that tells what is new', () => {
  it('keeps what was told before, and reads nothing else', async () => {
    const { bitsAfter, asked } = followed()
    expect(await bitsAfter([3, 70_000])).to.deep.equal([3, 70_000])
    expect(await bitsAfter([])).to.deep.equal([3, 70_000])
    expect(await bitsAfter([4, 3])).to.deep.equal([3, 4, 70_000])
    expect(asked).to.deep.equal([LIST])
  })

  it('is read before anyone asks for it', async () => {
    const { bitsAfter, asked, readAhead } = followed()
    await readAhead([3, 70_000])
    expect(await bitsAfter([4])).to.deep.equal([3, 4, 70_000])
    expect(asked).to.deep.equal([LIST])
  })

  it('I5: fails where the storage does, and goes on with what it kept', async () => {
    const { bitsAfter, asked } = followed()
    await bitsAfter([3])
    expect(String(await bitsAfter(new Error('down')).catch(String))).to.equal('Error: down')
    expect(await bitsAfter([4])).to.deep.equal([3, 4])
    expect(asked).to.deep.equal([LIST])
  })

  it('begins anew after an index that it does not have: what came with it is not told again', async () => {
    const { bitsAfter, asked } = followed()
    await bitsAfter([3])
    expect(String(await bitsAfter([2 ** 20, 4]).catch(String))).to.include('RangeError')
    expect(await bitsAfter([3, 4])).to.deep.equal([3, 4])
    expect(asked).to.deep.equal([LIST, LIST])
  })
})

/** Section 4.1, the first example: 16 statuses. */
const SHORT = [0, 3, 4, 5, 7, 8, 9, 13, 15]
const LONG_LST =
  'eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb'

describe('the bits of a status list', () => {
  // Section 4.1: "[…] the blocks being packed into bytes from the least significant bit ("0") to
  // the most significant bit ("7")."
  // Section 4.2: "The value MUST be the base64url-encoded compressed byte array".
  it("are the draft's examples", async () => {
    const short = new StatusBits(16)
    short.set(SHORT)
    expect(await short.encode()).to.equal('eNrbuRgAAhcBXQ')
    const long = new StatusBits(2 ** 20)
    await long.set(LONG)
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

  it('have every bit that was set while they were compressed', async () => {
    const bits = new StatusBits(16)
    bits.set([7])
    const first = bits.encode()
    bits.set([9])
    await first
    expect(setBits(await bits.encode())).to.deep.equal([7, 9])
  })
})
