import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt, type JWTPayload } from 'jose'
import { readmeBlocks } from '../../scripts/readme.ts'
import { type ReadmeProvider, readmeProvider } from '../resource-servers/readme.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Sentences of check() about the lines that the diff is there for. */
const SET_BY_THE_DIFF = ['binding', 'actor_token', 'actor_client', 'policy', 'single_use', 'ending']

describe('README.md', () => {
  describe('the provider with every change of the diff', () => {
    let shown: JWTPayload
    let provider: ReadmeProvider

    before(async () => {
      const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
      const [, token = ''] = /^```json\n(.*?)^```$/ms.exec(readme) ?? []
      shown = JSON.parse(token)
      provider = await readmeProvider()
    })
    after(() => provider?.[Symbol.asyncDispose]())

    it('issues the token that the page shows, by the commands of the page', async () => {
      const issued = decodeJwt(await provider.exchange())
      expect(issued).to.have.all.keys(Object.keys(shown))
      expect(issued.act).to.deep.equal({ sub: 'olivia' })
      for (const claim of ['sub', 'act', 'aud', 'scope', 'client_id', 'impersonation_context']) {
        expect(issued[claim], claim).to.deep.equal(shown[claim])
      }
      expect(lifetimeOf(issued)).to.equal(lifetimeOf(shown))
    })

    it('is in order for check(), as far as the diff goes', async () => {
      const lines = await provider.checklist()
      const inOrder = lines.filter(({ ok }) => ok).map(({ id }) => id)
      expect(inOrder).to.include.members(SET_BY_THE_DIFF)
    })
  })

  it('begins with a provider that starts and signs in without this package', async () => {
    await using provider = await readmeProvider('before')
    expect(readmeBlocks().before).to.not.include('impersonation')
    const token = await provider.signIn('alice', 'https://shop.example.com/orders')
    expect(decodeJwt(token)).to.include({ sub: 'alice' }).and.not.have.property('act')
  })
})

function lifetimeOf({ iat = 0, exp = 0 }: JWTPayload): number {
  return exp - iat
}
