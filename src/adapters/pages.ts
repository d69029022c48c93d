import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, ListedBefore, LookUp } from './contract.ts'

/** The number of records that a page has, and the largest that an adapter has to resolve. */
export const PAGE_SIZE = 100

/** Yields all records that match, the newest first, page by page. */
export async function* readPages(
  adapter: Pick<EndingAdapter, 'list'>,
  lookUp: LookUp,
  batch = PAGE_SIZE,
  start?: ListedBefore,
): AsyncGenerator<readonly AdapterPayload[]> {
  for (let before = start; ; ) {
    const records = await adapter.list(lookUp, batch, before)
    yield records
    const last = records.at(-1)
    if (records.length < batch || !last) return
    before = requirePosition(last)
  }
}

/** @throws TypeError for a record that no adapter may list */
export function requirePosition({ iat, jti }: AdapterPayload): ListedBefore {
  if (typeof iat !== 'number' || typeof jti !== 'string') {
    throw new TypeError('list() of the storage adapter resolved a record without iat or jti')
  }
  return { iat, id: jti }
}
