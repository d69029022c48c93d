import { ConsoleFrame, type FrameAt } from './console-frame.tsx'
import { customersHome, homePage, showCustomers, showHome } from './console-home.tsx'
import { SEARCH } from './features/impersonations/server/customers.ts'
import { IMPERSONATION_PAGES } from './features/impersonations/server/pages.ts'
import { findStrip } from './features/impersonations/server/strip.ts'
import { ImpersonationRows } from './features/impersonations/views/rows.tsx'
import type { PermitCall, PermitParts } from './features/permits/server/approval.ts'
import { askingActions } from './features/permits/server/approval.ts'
import type { ErasingCall, ErasingParts } from './features/personal-data/server/api.ts'
import { PERSONAL_DATA_PAGES } from './features/personal-data/server/pages.ts'
import { RULE_PAGES } from './features/rules/server/pages.ts'
import { ACTING_ROLES, ALL_ROLES } from './kernel/roles.ts'
import { countInbox } from './records/api/inbox.ts'
import { recordPages } from './records/api/pages.ts'
import { findNews } from './records/api/record.ts'
import type { RecordParts } from './records/api/shown.ts'
import { findCaller } from './web/caller.ts'
import { askProvider } from './web/http/problem.ts'
import { findMe, me } from './web/me.ts'
import { servePages } from './web/pages/serve.tsx'
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
  ...IMPERSONATION_PAGES,
  ...askingActions,
  ...recordPages(ImpersonationRows),
  ...RULE_PAGES,
  ...PERSONAL_DATA_PAGES,
  file('/me', ALL_ROLES, me),
  file('/stream', ALL_ROLES, streamChanges),
]

/** The pages of the support. */
export function consoleSite(parts: ErasingParts & Parts & PermitParts & RecordParts) {
  const { provider, settings } = parts
  return servePages(parts, {
    at: 'options.clientId',
    make: 'supportConsoleClient',
    clientId: settings.clientId,
    base: settings.path,
    realm: 'support console',
    isForStaff: true,
    leadsTo: settings.applications.map(({ url }) => new URL(url).origin),
    doorOf: ({ web }) => ({ product: web.product, about: web.signInAbout }),
    table: STAFF_TABLE,
    findCaller: (person, route, input) => findCaller(parts, person, route, input),
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
