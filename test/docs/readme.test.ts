import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt, type JWTPayload } from 'jose'
import { type ReadmeProvider, readmeProvider } from '../resource-servers/readme.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('README.md', function () {
  this.timeout(60_000)
  let shown: JWTPayload
  let provider: ReadmeProvider

  before(async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const [, token = ''] = /^```json\n(.*?)^```$/ms.exec(readme) ?? []
    shown = JSON.parse(token)
    provider = await readmeProvider()
  })
  after(() => provider[Symbol.asyncDispose]())

  it('shows the token that its own server issues for an operator', async () => {
    const issued = decodeJwt(await provider.exchange(await provider.signIn('olivia')))
    expect(issued).to.have.all.keys(Object.keys(shown))
    for (const claim of ['sub', 'act', 'aud', 'scope', 'client_id', 'impersonation_context']) {
      expect(issued[claim], claim).to.deep.equal(shown[claim])
    }
    expect(lifetimeOf(issued)).to.equal(lifetimeOf(shown))
  })

  it('says that a token which was exchanged without an actor token names no operator', async () => {
    const issued = decodeJwt(await provider.exchange())
    expect(issued).to.not.have.property('act')
    expect(issued.jti).to.match(/^impersonation:/)
  })
})

function lifetimeOf({ iat = 0, exp = 0 }: JWTPayload): number {
  return exp - iat
}
