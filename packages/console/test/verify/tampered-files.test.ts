import { expect } from 'chai'
import { pathOf, rootOf, sealInJws } from 'oidc-provider-impersonation-verify/chain'
import { rootOfPath } from '../../../verify/src/format/merkle.ts'
import { readLines } from '../../../verify/src/verify/lines.ts'
import { sealsOf, signer } from '../ledger/sealing/seals-of.ts'
import { exported, idOf, many, put, T } from '../ledger/stores/contract/support.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { broken, history, KEEP_FOR, linesOfExport, linesOfProof, verified } from './history.ts'

const isEntry = (line: string) => line.startsWith('{"entry"')
const isSeal = (line: string) => line.startsWith('{"seal"')
const isSum = (line: string) => line.startsWith('{"impersonation"')

/** Changes of a file. `tampered-storage.test.ts` has those of the storage. */
describe('verify of a file that was changed', () => {
  let lines: string[]
  let proof: string[]

  before(async () => {
    const store = memoryAudit({ keepFor: KEEP_FOR })
    await history(store)
    lines = await linesOfExport(store)
    proof = await linesOfProof(store, idOf('d'))
  })

  const twice = (is: (line: string) => boolean) =>
    lines.flatMap((line) => (line === lines.find(is) ? [line, line] : line))
  const replaced = (of: string[], at: number, from: string | RegExp, to: string) =>
    of.with(at, (of.at(at) ?? '').replace(from, to))

  const CHANGES: Readonly<Record<string, readonly [() => readonly string[], RegExp]>> = {
    'an entry that is there twice': [
      () => twice(isEntry),
      /^it is here a second time, or not in its place$/,
    ],
    'a sum that is there twice': [() => twice(isSum), /no entry tells of it here$/],
    'no seal at all': [() => lines.filter((line) => !isSeal(line)), /^the file has no seal/],
    'no end': [() => lines.slice(0, -1), /does not end with how much it has: it is cut off$/],
    'a line after the end': [() => [...lines, lines[0] ?? ''], /^it is not in its place$/],
    'a member that stands twice': [
      () => replaced(lines, 0, '"number"', '"number":1,"number"'),
      /^this line is not as the export writes it$/,
    ],
    'a line of two kinds': [
      () => replaced(lines, 0, '{', '{"seal":"",'),
      /^this is no line of an export$/,
    ],
    'a line of no kind': [() => lines.with(0, '{"a":1}'), /^it is not in its place$/],
    'a proof without its signature': [
      () => proof.slice(0, -1),
      /does not end with its signature: it is cut off$/,
    ],
    'a proof that lacks an entry': [
      () => proof.toSpliced(2, 1),
      /^the lines of the file are not those that were signed$/,
    ],
    'a proof that names another impersonation': [
      () => replaced(proof, 0, idOf('d'), idOf('e')),
      /^the lines of the file are not those that were signed$/,
    ],
    'a proof with another text': [
      () => replaced(proof, 2, 'alice', 'bobby'),
      /^its text is not the one that was recorded$/,
    ],
    'a proof of one with the signature of another': [
      () => [...proof.slice(0, -1), (lines.find(isSeal) ?? '').replace('seal', 'proof')],
      /^what is signed is no proof of an impersonation$/,
    ],
  }

  for (const [what, [change, says]] of Object.entries(CHANGES)) {
    it(`finds ${what}`, async () => {
      expect((await broken(change())).message).to.match(says)
    })
  }

  it('finds seals that another key, or another issuer, signed', async () => {
    const store = memoryAudit({ keepFor: KEEP_FOR })
    const other = await signer()
    await history(store, other.sign)
    expect((await broken(await linesOfExport(store, { sign: other.sign }))).message).to.match(
      /^the seal is not valid: /,
    )
    const options = { issuer: 'https://other.example' }
    expect((await broken(lines, options)).message).to.include('is of another issuer')
    const unknown = await signer({ kid: 'unknown' })
    const forged = await linesOfExport(store, { sign: unknown.sign })
    expect(
      (await broken(forged.filter((line) => !isSeal(line) || line === forged.findLast(isSeal))))
        .message,
    ).to.match(/no key of the key set signed the last seal/)
  })

  it('passes over a seal of a key that is no longer known: later ones vouch for its entries', async () => {
    const store = memoryAudit()
    await put(store, exported(T))
    const unknown = await signer({ kid: 'gone' })
    await sealsOf(store, { sign: unknown.sign }).seal()
    await put(store, exported(T + 1))
    expect(await verified(await linesOfExport(store))).to.include({ seals: 3, unknown: 1 })
  })

  it('refuses a line of many megabytes, without reading it to the end', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read += 1
        yield Buffer.alloc(1_048_576, 'x')
      }
    }
    const reading = async () => {
      for await (const _ of readLines(endless()));
    }
    await reading().then(
      () => expect.fail(),
      (error) => expect(String(error)).to.include('too long'),
    )
    expect(read).to.be.below(12)
  })
})

describe('the Merkle tree of a seal (RFC 6962)', () => {
  // RFC 6962 has no vectors; these are those of its first implementation, in hexadecimal.
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].map((hex) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  )
  const hexRootOf = (all: readonly string[]) =>
    Buffer.from(rootOf(all), 'base64url').toString('hex')

  it('has the roots that others compute', () => {
    expect(hexRootOf([])).to.equal(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    expect(hexRootOf(leaves.slice(0, 1))).to.equal(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    )
    expect(hexRootOf(leaves.slice(0, 3))).to.equal(
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    )
    expect(hexRootOf(leaves.slice(0, 7))).to.equal(
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    )
  })

  it('leads to its root from each leaf by its path, and from no other place', () => {
    for (let count = 1; count <= 33; count += 1) {
      const all = many(count, (index) => `leaf ${index}`)
      const root = rootOf(all)
      for (const [index, leaf] of all.entries()) {
        const path = pathOf(all, index)
        expect(rootOfPath(leaf, index, count, path)).to.equal(root)
        expect(rootOfPath(`${leaf}x`, index, count, path)).not.to.equal(root)
        expect(rootOfPath(leaf, index, count, [...path, path[0] ?? 'x'])).not.to.equal(root)
        if (count > 1) expect(rootOfPath(leaf, index ^ 1, count, path)).not.to.equal(root)
      }
    }
  })

  it('is read of a JWS, and of nothing else', () => {
    expect([sealInJws(''), sealInJws('a.b.c')]).to.deep.equal([undefined, undefined])
  })
})
