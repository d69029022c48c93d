import { type Authorize, allOf } from 'oidc-provider-impersonation'

/** No operator acts as an administrator. */
const protectAdmins: Authorize = ({ account }) => !account.accountId.startsWith('admin-')

/** A quarter of an hour, whatever else is allowed. */
const short: Authorize = () => ({ accessTokenTtl: 900 })

export const authorize = allOf(protectAdmins, short)
