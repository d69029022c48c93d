import type { ComponentChildren } from 'preact'
import { accountPages } from './features/account/server/pages.ts'
import {
  customerActions,
  findLookedInto,
  listOwnRecords,
} from './features/permits/server/api/of-customer.ts'
import type { CustomerPermitCall, PermitParts } from './features/permits/server/api/shown.ts'
import { OwnRecords } from './features/permits/views/own-records.tsx'
import type { At } from './web/kit/at.ts'
import { Frame } from './web/kit/frame.tsx'
import type { Assets } from './web/page/assets.ts'
import { type ServedPages, servePages } from './web/pages/serve.tsx'
import type { Parts } from './web/parts.ts'
import type { Settings } from './web/settings.ts'

/** The time after which the page looks again, in seconds: a customer has no stream. */
const LOOKS_EVERY = 15

/** The page on which customers see who acted as them. */
export function accountSite(
  parts: Parts & PermitParts,
  account: NonNullable<Settings['account']>,
  assets: () => Promise<Assets>,
): ServedPages {
  const { provider, settings, now } = parts
  const { languages, brand, url } = settings
  return servePages<CustomerPermitCall, At>({
    provider,
    url,
    languages,
    brand,
    assets,
    now,
    at: 'options.account.clientId',
    make: 'customerAccountClient',
    clientId: account.clientId,
    base: account.path,
    realm: 'account',
    isForStaff: false,
    looksEvery: LOOKS_EVERY,
    leadsTo: [],
    doorOf: (words) => ({ product: words.account.title, about: words.account.signInAbout }),
    table: [
      ...accountPages({ listRecords: listOwnRecords, findLookedInto, Records: OwnRecords }),
      ...customerActions(),
    ],
    enter: async ({ person, ...request }) => ({ ...parts, ...request, caller: person }),
    readerFor: async (_call, at) => at,
    Frame: AccountFrame,
  })
}

function AccountFrame({ children }: { children: ComponentChildren }, { words }: At) {
  return <Frame product={words.account.product}>{children}</Frame>
}
