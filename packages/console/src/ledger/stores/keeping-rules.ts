import { integer } from 'oidc-provider-impersonation/siblings'

// Not in keeping-options.ts: the published types cannot have the imports of the siblings' entry.
export const KEEPING_RULES = { keepFor: integer(1, Number.MAX_SAFE_INTEGER) }
