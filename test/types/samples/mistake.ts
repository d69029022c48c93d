import { createSqliteAdapter } from 'oidc-provider-impersonation/adapters/sqlite'

// Every compiler has to report this mistake, and nothing else: one that does not work reports nothing.
export const adapter = createSqliteAdapter({})
