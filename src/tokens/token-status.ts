import { statusListUri } from '../shared/uris.ts'

/** The claim `status`: draft-ietf-oauth-status-list-21, section 6.2. */
export interface TokenStatus {
  readonly status_list: { readonly idx: number; readonly uri: string }
}

/** The status list and the index in it that a subject token's record has. */
interface StatusPosition {
  readonly iss: string
  readonly statusList?: string | undefined
  readonly statusIndex?: number | undefined
}

/** The claim `status` of the access token to come; `undefined` where its end could not be seen. */
export function tokenStatusOf({ iss, statusList, statusIndex: idx }: StatusPosition) {
  if (statusList === undefined || idx === undefined) return undefined
  const status: TokenStatus = { status_list: { idx, uri: statusListUri(iss, statusList) } }
  return status
}
