import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { readQuery } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import { type StaffRoute, staff } from '../../../web/routes.ts'
import type { OverviewAnswer } from './answers.ts'
import { readLastDays } from './last-days.ts'

export const overviewRoutes: readonly StaffRoute[] = [
  staff.get('/overview', SUPERVISING_ROLES, showOverview),
]

async function showOverview({ audit, ctx, now }: Call): Promise<void> {
  readQuery(ctx, {})
  const at = now()
  ctx.body = { days: await readLastDays(audit.store, at), now: at } satisfies OverviewAnswer
}
