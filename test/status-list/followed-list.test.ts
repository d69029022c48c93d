import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { statusLists } from '../../src/status-list/sign.ts'
import { type Claims, setBits } from '../tokens/serving-process.ts'

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
  /** What the list has a second later. */
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
