import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ClientMetadata } from 'oidc-provider'
import type { ResourceServer } from '../../packages/resource-server/src/index.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { type Authorize, Provider } from '../../src/index.ts'
import { compile } from '../support/compile.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type Managed, managing } from '../support/managing.ts'
import { shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'
import { type Module, snippetsOf } from './documents.ts'

/** What the page says that its reader has. */
const KEYS = `
import { type JWK, exportJWK, generateKeyPair } from 'jose'
async function publicKey(): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256')
  return { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }
}
export const shopKey = await publicKey()
export const backendKey = await publicKey()
`

describe('docs/production.md', () => {
  let deployment: Managed

  const snippets = shared(() => snippetsOf('production.md'))
  before(async () => {
    await writeFile(join(snippets.folder, 'src/keys.ts'), KEYS)
  })
  afterEach(() => deployment?.close())

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('kill-switch.ts: nothing is issued or exchanged while it is off, and all that ran has ended', async () => {
    const { withKillSwitch, endEverything } = await snippets.load('The kill switch')
    let isOff = false
    const wrap = withKillSwitch as (isOff: () => Promise<boolean>, rule: Authorize) => Authorize
    const rule: Authorize = ({ account }) => account.accountId !== 'bob'
    deployment = await managing({ impersonation: { authorize: wrap(async () => isOff, rule) } })
    const { token, provider } = deployment
    const issued = async (userId: string) => (await deployment.issue({ userId }, { token })).status
    const exchanged = async (subject_token: string) =>
      (await deployment.exchange({ subject_token })).status
    expect(await issued('bob')).to.equal(403)
    const [running, waiting] = [await deployment.start(), await deployment.start()]
    expect(await exchanged(running.subjectToken)).to.equal(200)
    isOff = true
    expect(await exchanged(waiting.subjectToken)).to.equal(400)
    expect(await issued('alice')).to.equal(403)
    const end = endEverything as (provider: Provider, clients: string[]) => Promise<number>
    expect(await end(provider, ['backend'])).to.equal(2)
    expect((await provider.impersonation.list({ state: 'active' })).items).to.deep.equal([])
    isOff = false
    expect(await exchanged(waiting.subjectToken)).to.equal(400)
    expect(await issued('alice')).to.equal(201)
  })

  it('clients.ts has clients that check() has nothing to say about', async () => {
    const { clients } = (await snippets.load('Which clients')) as { clients: ClientMetadata[] }
    const provider = new Provider('https://id.invalid', {
      adapter: createMemoryAdapter(),
      clients,
      features: {
        clientCredentials: { enabled: true },
        dPoP: { enabled: true },
        impersonation: {
          enabled: true,
          managementApi: { resource: 'https://id.invalid/api', clients: ['backend'] },
        },
      },
    })
    for (const { client_id } of clients) {
      expect(await provider.Client.find(client_id), client_id).to.be.an('object')
    }
    const items = await provider.impersonation.check()
    const told = items.filter(({ id }) => id === 'clients' || id === 'dpop')
    expect(told.map(({ id, ok }) => [id, ok])).to.deep.equal([
      ['clients', true],
      ['dpop', true],
    ])
  })

  it('two-issuers.ts takes a token of each issuer, and refuses others', async () => {
    const resource = 'https://api.example.com'
    const jwt = { accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }
    const resources = { [resource]: { scope: 'openid orders:read', ...jwt } }
    deployment = await managing({ resources })
    await using other = await deploy({ resources })
    const file = join(snippets.folder, 'src/two-issuers.ts')
    const text = await readFile(file, 'utf8')
    await writeFile(
      file,
      text
        .replace('https://eu.example.com/oidc', deployment.issuer)
        .replace('https://us.example.com/oidc', other.issuer),
    )
    const { guardFor }: Module = await import(file)
    const judge = async (authorization?: string) => {
      const guard = (guardFor as (authorization?: string) => ResourceServer)(authorization)
      return (await guard.authenticate(authorization)).userId
    }
    const tokenOf = async (one: Deployment, user: string, to = resource) => {
      const scope = 'openid orders:read'
      return `Bearer ${(await signIn(one, user, { scope, resource: to })).access_token}`
    }
    expect(await judge(await tokenOf(deployment, 'alice'))).to.equal('alice')
    expect(await judge(await tokenOf(other, 'bob'))).to.equal('bob')
    const elsewhere = await tokenOf(other, 'bob', other.orders)
    for (const bad of [undefined, 'Bearer', 'Bearer x', elsewhere]) {
      const refused = await judge(bad).catch((error) => error)
      expect(refused, bad).to.include({ status: 401 })
    }
  })
})
