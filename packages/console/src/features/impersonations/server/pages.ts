import { ACTING_ROLES, ALL_ROLES, SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { actForm } from '../../../web/acting/asked-for.ts'
import { linesFor } from '../../../web/pages/table.ts'
import type { Call } from '../../../web/parts.ts'
import { actPage } from '../views/act-page.tsx'
import { auditPage } from '../views/audit-page.tsx'
import { customerPage } from '../views/customer-page.tsx'
import { peoplePage } from '../views/customers-page.tsx'
import { impersonationPage } from '../views/impersonation-page.tsx'
import { continuePage } from '../views/strip.tsx'
import { ACT_LINK, act, type HandOver, openingOf, showAct } from './act.ts'
import { exportEntries, exportRows, SEARCHED, searchAudit } from './audit.ts'
import { continueImpersonation, showContinue, WIDER } from './continue.ts'
import { PAST, SOUGHT, showCustomer, suggestPeople } from './customers.ts'
import { HOLD, PART_OF_TIMELINE, RELEASE, recordHold, showImpersonation } from './impersonation.ts'
import { endRunning } from './running.ts'

const { action, file, page } = linesFor<Call>()
const ACTS = {
  isActing: true,
  writes: true,
  after: (handOver: HandOver, call: Call) => ({ opens: openingOf(handOver, call) }),
} as const
/** An export of the audit is an entry itself. */
const EXPORTS = { writes: true } as const

export const IMPERSONATION_PAGES = [
  page('/people', ALL_ROLES, SOUGHT, suggestPeople, peoplePage),
  page('/act', ACTING_ROLES, ACT_LINK, showAct, actPage),
  action('/impersonations', ACTING_ROLES, actForm, act, ACTS),
  action('/impersonations/:id/continue', ACTING_ROLES, WIDER, continueImpersonation, ACTS),
  page('/continue/:id', ACTING_ROLES, {}, showContinue, continuePage),
  action('/running/:id/end', ACTING_ROLES, {}, endRunning, { says: 'ended' }),
  page('/customers/:id', ACTING_ROLES, PAST, showCustomer, customerPage),
  page('/audit', ALL_ROLES, SEARCHED, searchAudit, auditPage),
  file('/audit/export.csv', SUPERVISING_ROLES, exportRows, EXPORTS),
  file('/audit/entries.jsonl', SUPERVISING_ROLES, exportEntries, EXPORTS),
  page('/audit/:id', ALL_ROLES, PART_OF_TIMELINE, showImpersonation, impersonationPage),
  file('/audit/:id/entries.jsonl', SUPERVISING_ROLES, exportEntries, EXPORTS),
  action('/audit/:id/hold', SUPERVISING_ROLES, HOLD, (call) => recordHold(call, 'support.held'), {
    writes: true,
    says: 'held',
  }),
  action(
    '/audit/:id/release',
    SUPERVISING_ROLES,
    RELEASE,
    (call) => recordHold(call, 'support.released'),
    { writes: true, says: 'released' },
  ),
]
