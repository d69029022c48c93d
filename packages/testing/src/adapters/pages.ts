import assert from 'node:assert/strict'
import type { AdapterPayload } from 'oidc-provider'
import type { EndingAdapter, LookUp } from 'oidc-provider-impersonation/adapters/contract'

/** Ids in the order of a list: by second, then by code unit, both descending. */
export function newestFirst(records: readonly (readonly [id: string, iat: number])[]): string[] {
  return records
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? 1 : -1))
    .map(([id]) => id)
}

/** More records than any case stores: an adapter that ignores `before` has no last page. */
const MAX_IDS_LISTED = 1000

/** Reads all pages, and checks that only the last one is short. */
export async function listPages(
  adapter: EndingAdapter,
  lookUp: LookUp,
  limit: number,
  between: (page: readonly AdapterPayload[]) => Promise<void> = async () => {},
): Promise<unknown[]> {
  const ids: unknown[] = []
  let page = await adapter.list(lookUp, limit)
  for (;;) {
    assert.ok(page.length <= limit, 'a page longer than asked for')
    assert.ok(ids.length < MAX_IDS_LISTED, 'pages without an end')
    ids.push(...page.map(({ jti }) => jti))
    const last = page.at(-1)
    if (!last || page.length < limit) return ids
    await between(page)
    page = await adapter.list(lookUp, limit, { iat: Number(last.iat), id: String(last.jti) })
  }
}
