import { MAX_DATE_MS } from 'oidc-provider-impersonation-verify/format'
import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import type { RowFilter } from '../../../ledger/filters.ts'
import { settle } from '../../../web/audit.ts'
import { numberParameter, readQuery } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import type { OverviewAnswer } from './answers.ts'

export const overviewRoutes: readonly StaffRoute[] = [
  staff.get('/overview', SUPERVISING_ROLES, showOverview, { hasQuery: true }),
]

const moment = numberParameter(0, MAX_DATE_MS)
const BEFORE_ALL = { at: 0, id: '' }

async function showOverview({ audit, ctx, now }: Call): Promise<void> {
  const range = readQuery(ctx, { from: moment, to: moment })
  await settle(audit)
  const count = (filter: RowFilter) =>
    audit.store.countNewer({ ...range, ...filter }, BEFORE_ALL, now())
  const [impersonations, unapproved, objections] = await Promise.all([
    count({}),
    count({ unapproved: true }),
    count({ alarm: 'objection' }),
  ])
  ctx.body = { impersonations, unapproved, objections } satisfies OverviewAnswer
}
