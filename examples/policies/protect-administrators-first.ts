import type { Authorize } from 'oidc-provider-impersonation'

/** Your directory. */
const administrators = new Set(['root', 'carol'])
const isAdministrator = async (accountId: string) => administrators.has(accountId)

export const protectAdministrators: Authorize = async ({ account }) =>
  !(await isAdministrator(account.accountId))
