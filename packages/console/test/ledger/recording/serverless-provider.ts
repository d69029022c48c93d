import { Provider } from 'oidc-provider-impersonation'
import type { SqliteAdapterFactory } from 'oidc-provider-impersonation/adapters/sqlite'
import { configuration } from '../../support/provider.ts'

/** The provider of the processes that are killed, without a server. */
export function providerOn(adapter: SqliteAdapterFactory, port: string) {
  const url = `http://localhost:${port}`
  return new Provider(`${url}/oidc`, configuration({ url, shopUrl: 'http://127.0.0.1', adapter }))
}
