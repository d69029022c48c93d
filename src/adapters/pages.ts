import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, ListedBefore, LookUp } from './contract.ts'

/** Yields all records that match, the newest first, page by page. */
export async function* readPages(
  adapter: Pick<EndingAdapter, 'list'>,
  lookUp: LookUp,
  batch: number,
  start?: ListedBefore,
): AsyncGenerator<readonly AdapterPayload[]> {
  let before = start
  for (;;) {
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
