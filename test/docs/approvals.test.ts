import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../support/compile.ts'
import { shared } from '../support/shared.ts'
import { type Module, snippetsOf } from './documents.ts'

/** The code that the reader has, as the page says. */
const YOURS = `
import { type ProviderConfiguration, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { supportConsoleClient, type SupportConsoleOptions } from 'oidc-provider-impersonation-console'
import { createSqliteAudit } from 'oidc-provider-impersonation-console/audit/sqlite'

export const issuer = 'https://id.example.com'
export const audit = createSqliteAudit({ file: ':memory:' })
export const configuration: ProviderConfiguration = {
  adapter: createMemoryAdapter(),
  clients: [
    supportConsoleClient({ url: issuer }),
    { client_id: 'support-backend', client_secret: 'secret', grant_types: ['client_credentials'], response_types: [], redirect_uris: [] },
    { client_id: 'shop', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE], redirect_uris: ['https://shop.example.com/'] },
  ],
  claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: () => ({ scope: 'orders:read orders:write', accessTokenFormat: 'jwt' }) },
  },
}
export const consoleOptions: Omit<SupportConsoleOptions, 'audit'> = {
  clientId: 'support-console',
  issueAs: 'support-backend',
  role: () => undefined,
  customers: { get: () => undefined, search: () => ({ customers: [], more: false }) },
  applications: [{ name: 'Shop', url: 'https://shop.example.com/', clientId: 'shop', resource: 'https://shop.example.com/api', scopes: { read: 'orders:read', change: 'orders:write' } }],
}
`

type Call = (...given: string[]) => Promise<{ id: string; status?: unknown; error?: unknown }>

describe('docs/approvals.md', () => {
  const snippets = shared(() => snippetsOf('approvals.md'))
  before(async () => {
    await writeFile(join(snippets.folder, 'src/yours.ts'), YOURS)
  })

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('asks, decides and starts: nothing starts before a lead has approved', async () => {
    const load = async (name: string): Promise<Module> =>
      await import(join(snippets.folder, 'src', name))
    const { ask, approve, start } = (await load('back-office.ts')) as Record<string, Call>
    if (!ask || !approve || !start) expect.fail('the page lacks a function')
    const started = ['olivia', 'alice', 'SUP-123', 'The parcel should go next door'] as const
    const refused = await start(...started).catch((error) => error)
    expect(refused).to.include({ error: 'approval_required', statusCode: 403 })
    const permit = await ask(...started)
    expect(await approve(permit.id, 'olivia', 'It is me')).to.include({
      status: 403,
      error: 'access_denied',
    })
    expect(await approve(permit.id, 'grace', 'Talked to Alice')).to.include({ status: 200 })
    expect(await approve(permit.id, 'grace', 'Twice')).to.include({ status: 409, error: 'decided' })
    expect(await start(...started)).to.include.keys('subjectToken', 'id')

    const { support } = (await load('permits.ts')) as { support: { close(): Promise<void> } }
    await support.close()
  })
})
