import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'

const ROOT = new URL('../../', import.meta.url)

describe('docs/what-changes.md', () => {
  it('shows what is new in the discovery document, and nothing else', async () => {
    const page = await readFile(new URL('docs/what-changes.md', ROOT), 'utf8')
    const [, diff = ''] = /^```diff\n(.*?)^```$/ms.exec(page) ?? []
    const added = [...diff.matchAll(/^\+ +"(\w+)": "(.*?)"/gm)].map(([, name, url]) => [name, url])
    expect(added).to.have.lengthOf(3)
    await using deployment = await deploy()
    const path = '/.well-known/openid-configuration'
    const answer = await fetch(`${deployment.issuer}${path}`)
    const ours: Record<string, unknown> = JSON.parse(await answer.text())
    for (const [name, url = ''] of added) {
      expect(ours[String(name)]).to.equal(
        url.replace('https://id.example.com/oidc', deployment.issuer),
      )
    }
    expect(diff).to.include(`+    "${TOKEN_EXCHANGE_GRANT_TYPE}"`)
    expect(ours.grant_types_supported).to.include(TOKEN_EXCHANGE_GRANT_TYPE)
    const members = Object.keys(ours).filter((name) => /impersonation|status_list/.test(name))
    expect(members).to.have.members(added.map(([name]) => name))
  })
})
