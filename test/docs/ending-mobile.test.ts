import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Provider } from '../../src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { compile } from '../support/compile.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

type AskCurrent = (issuer: string, token: string) => Promise<unknown>
type PushEnds = (
  provider: Provider,
  push: (operator: string, data: { impersonation: string }) => Promise<void>,
) => void

describe('docs/ending.md: what a mobile application does', () => {
  let snippets: Snippets
  let deployment: Deployment
  let askCurrent: AskCurrent
  let pushEnds: PushEnds

  before(async () => {
    snippets = await snippetsOf('ending.md')
    const load = (name: string) => import(join(snippets.folder, 'src', name))
    ;({ askCurrent } = await load('ask-current.ts'))
    ;({ pushEnds } = await load('push-ends.ts'))
    deployment = await deploy()
  })
  after(async () => {
    await deployment?.close()
    await snippets?.[Symbol.asyncDispose]()
  })

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('learns of an end by asking, is told by a push of its id alone, and takes no trouble for an end', async () => {
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const subject_token = await deployment.subjectToken()
    const { access_token: token } = (await deployment.exchange({ subject_token, actor_token })).body
    const id = String(decodeJwt(token).jti).replace('impersonation:', '')
    expect(await askCurrent(deployment.issuer, token)).to.include({ state: 'active' })

    const pushed = new Promise((resolve) => {
      pushEnds(deployment.provider, async (...push) => resolve(push))
    })
    const how = { by: { sub: 'alice' }, cause: 'user' } as const
    await deployment.provider.impersonation.end(id, how)
    expect(await pushed).to.deep.equal(['olivia', { impersonation: id }])
    expect(await askCurrent(deployment.issuer, token)).to.deep.include({
      state: 'ended',
      end: { cause: 'user', by: 'customer' },
    })
    const forged = `${token.slice(0, -4)}AAAA`
    expect(await askCurrent(deployment.issuer, forged)).to.deep.equal({ state: 'ended' })

    expect(await askCurrent(`http://127.0.0.1:${await freePort()}`, token)).to.equal(undefined)
    const failing = createServer((_request, response) => response.writeHead(503).end('{}'))
    await once(failing.listen(0, '127.0.0.1'), 'listening')
    const address = failing.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(await askCurrent(`http://127.0.0.1:${port}`, token)).to.equal(undefined)
    failing.close()
    failing.closeAllConnections()
  })
})
