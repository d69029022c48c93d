import type { ComponentChildren } from 'preact'
import { ACCOUNT_PAGES } from './features/account/server/pages.ts'
import { customerActions } from './records/api/of-customer.ts'
import type { RecordParts } from './records/api/shown.ts'
import type { At } from './web/kit/at.ts'
import { Frame } from './web/kit/frame.tsx'
import { servePages } from './web/pages/serve.tsx'
import type { Parts } from './web/parts.ts'
import type { Settings } from './web/settings.ts'

/** The time after which the page looks again, in seconds: a customer has no stream. */
const LOOKS_EVERY = 15

/** The page on which customers see who acted as them. */
export function accountSite(
  parts: Parts & RecordParts,
  { clientId, path }: NonNullable<Settings['account']>,
) {
  return servePages(parts, {
    at: 'options.account.clientId',
    make: 'customerAccountClient',
    clientId,
    base: path,
    realm: 'account',
    isForStaff: false,
    looksEvery: LOOKS_EVERY,
    leadsTo: [],
    doorOf: ({ account }) => ({ product: account.title, about: account.signInAbout }),
    table: [...ACCOUNT_PAGES, ...customerActions()],
    findCaller: async (person) => person,
    readerFor: async (_call, at) => at,
    Frame: AccountFrame,
  })
}

function AccountFrame({ children }: { children: ComponentChildren }, { words }: At) {
  return <Frame product={words.account.product}>{children}</Frame>
}
