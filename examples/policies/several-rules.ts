import { type Authorize, allOf } from 'oidc-provider-impersonation'

const protectAdmins: Authorize = ({ account }) => !account.accountId.startsWith('admin-')
protectAdmins.description = 'No operator acts as an administrator.'

const short: Authorize = () => ({ accessTokenTtl: 900 })
short.description = 'An operator acts for 15 minutes at most.'

export const authorize = allOf(protectAdmins, short)
