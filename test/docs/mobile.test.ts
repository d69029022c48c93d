import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import { freePort } from '../adapters/servers.ts'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { listening } from '../support/token-issuer.ts'
import { snippetsOf } from './documents.ts'

type Call = (...given: unknown[]) => Promise<unknown>

describe('docs/browser.md: a mobile application', () => {
  it('exchanges the link, learns of an end by asking, takes no trouble for an end, and ends it', async () => {
    await using deployment = await deploy()
    const { issuer, orders, provider } = deployment
    await using snippets = await snippetsOf('browser.md', 'js')
    const source = await readFile(join(snippets.folder, 'src/mobile.mjs'), 'utf8')
    /** The functions of the page, at another issuer. */
    const at = async (address: string): Promise<Record<string, Call>> => {
      const file = join(snippets.folder, `src/mobile-${new URL(address).port}.mjs`)
      const here = source
        .replace('https://id.example.com/oidc', address)
        .replace("'shop'", "'console'")
        .replace('https://api.example.com/orders', orders)
      await writeFile(file, here)
      return import(file)
    }
    const { startActing, hasEnded, end } = await at(issuer)
    const { access_token: operatorToken } = await signIn(deployment, 'olivia')
    const begin = async () => {
      const subjectToken = await deployment.subjectToken()
      const link = impersonationUrl('https://shop.example.com/', { subjectToken })
      const token = String(await startActing?.(link, operatorToken))
      return { token, id: String(decodeJwt(token).jti).replace('impersonation:', '') }
    }
    const first = await begin()
    expect(decodeJwt(first.token).act).to.deep.equal({ sub: 'olivia' })
    expect(await hasEnded?.(first.token)).to.equal(false)
    await provider.impersonation.end(first.id, { cause: 'user' })
    expect(await hasEnded?.(first.token)).to.equal(true)
    expect(await hasEnded?.(`${first.token.slice(0, -4)}AAAA`)).to.equal(true)
    const failing = createServer((_request, response) => response.writeHead(503).end('{}'))
    for (const trouble of [`http://127.0.0.1:${await freePort()}`, await listening(failing)]) {
      const away = await at(trouble)
      expect(await away.hasEnded?.(first.token)).to.equal(false)
    }
    const second = await begin()
    await end?.(second.token)
    expect((await provider.impersonation.get(second.id))?.end?.reason).to.equal('left')
  })
})
