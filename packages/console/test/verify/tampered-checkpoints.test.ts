import { expect } from 'chai'
import { createLocalJWKSet, decodeJwt } from 'jose'
import { digestOf, entryDigestOf } from 'oidc-provider-impersonation-verify/chain'
import { changed, type ExportedEntry, ISSUER, isCheckpoint, rechain, signer } from './history.ts'
import {
  broken,
  type Exported,
  exportedHistory,
  nth,
  provider,
  resigned,
  verified,
} from './tampering.ts'

describe('verify finds a checkpoint', () => {
  let exported: Exported
  let lines: string[]
  let entries: ExportedEntry[]
  let elsewhere: Exported['elsewhere']

  before(async () => {
    exported = await exportedHistory()
    ;({ lines, entries, elsewhere } = exported)
  })
  after(() => exported.dispose())

  const replaced = (jws: string, index = lines.length - 1) =>
    lines.with(index, JSON.stringify({ checkpoint: jws }))
  const own = (index = lines.length - 1): Record<string, unknown> =>
    decodeJwt<{ checkpoint: Record<string, unknown> }>(JSON.parse(lines[index] ?? '').checkpoint)
      .checkpoint

  it('that another key signed', async () => {
    const other = await signer()
    const line = lines.length
    expect(await broken(replaced(await other.sign(own())))).to.deep.equal({
      told: 'the checkpoint is not valid: signature verification failed',
      line,
    })
    const unknown = await signer({ kid: 'b' })
    expect(await broken(replaced(await unknown.sign(own())))).to.deep.equal({
      told: 'the checkpoint is not valid: no key of the key set signed it',
      line,
    })
  })

  it('that was changed after it was signed, or is not signed', async () => {
    const [header, , signature] = JSON.parse(lines.at(-1) ?? '').checkpoint.split('.')
    const payload = { iss: ISSUER, iat: 1, checkpoint: { ...own(), heads: [] } }
    const forged = Buffer.from(JSON.stringify(payload)).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const jws of [`${header}.${forged}.${signature}`, `${none}.${forged}.`, 'x', '']) {
      expect((await broken(replaced(jws))).told).to.contain('the checkpoint is not valid')
    }
  })

  it('of another issuer', async () => {
    const jws = await provider.signAs({ issuer: 'https://evil.example' })(own())
    const told = 'the checkpoint is of another issuer: '
    expect(await broken(replaced(jws), { issuer: ISSUER })).to.deep.equal({
      told: `${told}https://evil.example`,
      line: lines.length,
    })
    // Without a named issuer, all have to be of one.
    expect((await broken(replaced(jws))).told).to.equal(`${told}${ISSUER}`)
    expect((await broken(lines, { issuer: 'https://evil.example' })).told).to.equal(
      `${told}${ISSUER}`,
    )
  })

  it('that is another token of the provider', async () => {
    const jws = await provider.signAs({ typ: 'statuslist+jwt' })(own())
    expect((await broken(replaced(jws))).told).to.contain('unexpected "typ" JWT header value')
  })

  it('of another audit, of the same provider', async () => {
    const other = { writer: 'other', sequence: 2, hash: digestOf('x') }
    const jws = await provider.sign({ ...own(), heads: [other], removed: [] })
    expect((await broken(lines, { kept: [{ jws, name: 'file, line 1' }] })).told).to.contain(
      'it is missing, and all after it',
    )
  })

  it('that was kept elsewhere and is forged', async () => {
    const other = await signer()
    const kept = [{ jws: await other.sign(own()), name: 'kept.jws, line 1' }]
    expect((await broken(lines, { kept })).told).to.equal(
      'kept.jws, line 1: the checkpoint is not valid: signature verification failed',
    )
  })

  it('that was kept elsewhere, where the whole audit was made anew in the storage', async () => {
    const index = nth(entries, 8)
    const rewritten = rechain(
      entries.map((entry, n) => {
        if (n !== index) return entry
        const text = `${entry.text} `
        return { ...entry, text, digest: entryDigestOf(text, entry.row) }
      }),
    )
    const ends = new Map(
      rewritten.map(({ writer, sequence, hash }) => [writer, { writer, sequence, hash }]),
    )
    const file = await resigned(
      changed(lines, () => rewritten),
      { heads: [...ends.values()] },
    )
    // The attacker removed the checkpoints that the storage kept. By itself, the file is whole.
    await verified(file)
    const found = await broken(file, { kept: elsewhere })
    expect(found.told).to.contain('was changed: the checkpoint of ')
    expect(found.writer).to.equal(entries[index]?.writer)
  })

  it('that says of fewer entries that they were removed', async () => {
    const removed = own().removed as { writer: string; upTo: number }[]
    const [chain] = removed
    const less = removed.with(0, { ...chain, upTo: (chain?.upTo ?? 0) - 1 } as never)
    const jws = await provider.sign({ ...own(), removed: less })
    const file = [
      ...lines.filter((line) => !isCheckpoint(line)),
      JSON.stringify({ checkpoint: jws }),
    ]
    expect(await broken(file)).to.deep.include({
      ...{ writer: chain?.writer, sequence: chain?.upTo },
      told: 'its text is missing, and no checkpoint says that it was removed',
    })
  })

  it('of which a part is missing', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((part) => provider.sign({ ...own(), part, parts: 2 })),
    )
    const first = JSON.stringify({ checkpoint: one })
    const second = JSON.stringify({ checkpoint: two })
    await verified([...lines.slice(0, -1), first, second])
    const told = 'parts of the last checkpoint are missing'
    expect((await broken([...lines.slice(0, -1), second])).told).to.equal(told)
    expect((await broken([...lines.slice(0, -1), first])).told).to.equal(told)
    expect((await broken([...lines.slice(0, -1), second, first])).told).to.equal(told)
  })

  it('whose claims are no claims of a checkpoint', async () => {
    for (const wrong of [
      {},
      { ...own(), version: 2 },
      { ...own(), heads: {} },
      { ...own(), removed: [{}] },
    ]) {
      expect((await broken(replaced(await provider.sign(wrong)))).told).to.equal(
        'the checkpoint cannot be read',
      )
    }
  })

  it('in the middle that a key signed which is no longer known is passed over, and told of', async () => {
    const old = await signer({ kid: 'old' })
    const index = lines.findIndex(isCheckpoint)
    const rotated = replaced(await old.sign(own(index)), index)
    expect(await verified(rotated)).to.include({ checkpoints: 3, unknown: 1 })
    const keys = createLocalJWKSet({ keys: [provider.jwk, old.jwk] })
    expect(await verified(rotated, { keys })).to.include({ checkpoints: 4, unknown: 0 })
  })
})
