import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { snippetsOf } from './documents.ts'

/** What the page says that its reader has. Nothing is asked of the database here. */
const YOURS = `
import { Pool } from 'pg'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { supportConsoleClient } from 'oidc-provider-impersonation-console'

export const issuer = 'https://id.example.com'
export const pool = new Pool({ host: '127.0.0.1', port: 1 })
export const configuration = {
  adapter: createMemoryAdapter(),
  clients: [
    supportConsoleClient({ url: issuer }),
    { client_id: 'support-backend', client_secret: 'secret', grant_types: ['client_credentials'], response_types: [], redirect_uris: [] },
    { client_id: 'shop', token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'], redirect_uris: ['https://shop.example.com/'] },
  ],
  claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: () => ({ scope: 'orders:read orders:write', accessTokenFormat: 'jwt' }) },
  },
}
export const consoleOptions = {
  clientId: 'support-console',
  issueAs: 'support-backend',
  role: () => undefined,
  customers: { get: () => undefined, search: () => ({ customers: [], more: false }) },
  applications: [{ name: 'Shop', url: 'https://shop.example.com/', clientId: 'shop', resource: 'https://shop.example.com/api', scopes: { read: 'orders:read', change: 'orders:write' } }],
}
`

describe('docs/approvals.md', () => {
  it('sets permits up beside what its reader has', async () => {
    await using snippets = await snippetsOf('approvals.md')
    await writeFile(join(snippets.folder, 'src/yours.ts'), YOURS)
    const { permits, provider, support } = await snippets.load('Set it up')
    expect(permits).to.respondTo('wrap')
    expect(support).to.be.a('function')
    expect(provider).to.have.nested.property('impersonation.issue').that.is.a('function')
  })
})
