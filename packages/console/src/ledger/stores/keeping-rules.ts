import { integer } from 'oidc-provider-impersonation/siblings'

export const KEEPING_RULES = { keepFor: integer(1, Number.MAX_SAFE_INTEGER) }
