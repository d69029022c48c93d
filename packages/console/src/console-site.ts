import { ConsoleFrame, type FrameAt } from './console-frame.tsx'
import { customersHome, homePage, showCustomers, showHome } from './console-home.tsx'
import { SEARCH } from './features/impersonations/server/customers.ts'
import { impersonationPages } from './features/impersonations/server/pages.ts'
import { findStrip } from './features/impersonations/server/strip.ts'
import { ImpersonationRows } from './features/impersonations/views/rows.tsx'
import { askingActions } from './features/permits/server/api/approval.ts'
import { findNews } from './features/permits/server/api/find.ts'
import { countInbox } from './features/permits/server/api/inbox.ts'
import { recordPages } from './features/permits/server/api/pages.ts'
import type { PermitCall, StaffParts } from './features/permits/server/api/shown.ts'
import { ApprovalPart, Needed } from './features/permits/views/approval-part.tsx'
import { RecordCard } from './features/permits/views/record-card.tsx'
import type { ErasingCall, ErasingParts } from './features/personal-data/server/api.ts'
import { personalDataPages } from './features/personal-data/server/pages.ts'
import { rulePages } from './features/rules/server/pages.ts'
import { ACTING_ROLES, ALL_ROLES } from './kernel/roles.ts'
import { waitForCapacity } from './web/audit.ts'
import { findCaller } from './web/caller.ts'
import { askProvider } from './web/http/problem.ts'
import { findMe, me } from './web/me.ts'
import type { Assets } from './web/page/assets.ts'
import { type ServedPages, servePages } from './web/pages/serve.tsx'
import { linesFor, type Route } from './web/pages/table.ts'
import type { Parts } from './web/parts.ts'
import { changeStream } from './web/stream/stream.ts'

type StaffCall = ErasingCall & PermitCall

const streamChanges = changeStream<StaffCall>({
  count: countInbox,
  async findOperator(call, id) {
    const found = (await call.audit.store.row(id)) ?? (await call.records.find(id))
    return found?.operator?.id
  },
})

const { file, page } = linesFor<StaffCall, FrameAt>()

/** Every page and action of the support, and who may use it. */
export const STAFF_TABLE: readonly Route<StaffCall, FrameAt>[] = [
  page('', ALL_ROLES, SEARCH, showHome, homePage),
  page('/customers', ACTING_ROLES, SEARCH, showCustomers, customersHome),
  ...impersonationPages(ApprovalPart),
  ...askingActions,
  ...recordPages(ImpersonationRows),
  ...rulePages(Needed),
  ...personalDataPages(RecordCard),
  file('/me', ALL_ROLES, me),
  file('/stream', ALL_ROLES, streamChanges, { streams: true }),
]

/** The pages of the support. */
export function consoleSite(
  parts: ErasingParts & Parts & StaffParts,
  assets: () => Promise<Assets>,
): ServedPages {
  const { provider, settings, now } = parts
  const { languages, brand, url, path: base, clientId, applications } = settings
  return servePages<StaffCall, FrameAt>({
    provider,
    clientId,
    url,
    base,
    languages,
    brand,
    assets,
    now,
    at: 'options.clientId',
    make: 'supportConsoleClient',
    realm: 'support console',
    isForStaff: true,
    leadsTo: applications.map((application) => new URL(application.url).origin),
    doorOf: ({ web }) => ({ product: web.product, about: web.signInAbout }),
    table: STAFF_TABLE,
    async enter({ route, person, findAgain, ...request }) {
      const { isActing, writes } = route.marks
      const find = async (found: typeof person) =>
        findCaller({ audience: route.roles, isActing }, parts, found, request.input)
      const caller = await find(person)
      if (writes) await waitForCapacity(parts)
      return {
        ...parts,
        ...request,
        caller,
        findAgain: async () => find(await findAgain()),
      }
    },
    async readerFor(call, at) {
      const [me, waits, strip, news] = await Promise.all([
        findMe(call),
        countInbox(call).catch(() => 0),
        call.caller.role === 'auditor' ? undefined : findStrip(call),
        findNews(call),
      ])
      return { ...at, me, waits, strip, news }
    },
    Frame: ConsoleFrame,
    async beforeSignOut({ id }) {
      const by = { sub: id }
      await askProvider(() => provider.impersonation.endAll({ actor: id }, { by }))
    },
  })
}
