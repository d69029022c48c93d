import type { FrameAt } from './console-frame.tsx'
import { findAlarms } from './features/alarms/server/list.ts'
import { AlarmsWaiting } from './features/alarms/views/alarms-waiting.tsx'
import { type SEARCH, searchCustomers } from './features/impersonations/server/customers.ts'
import { listRunning } from './features/impersonations/server/running.ts'
import { customersPage } from './features/impersonations/views/customers-page.tsx'
import { RunningNow } from './features/impersonations/views/running-page.tsx'
import { countThisMonth } from './features/overview/server/month.ts'
import { overviewPage } from './features/overview/views/overview-page.tsx'
import { findToDecide, findToReview } from './features/permits/server/api/lists.ts'
import { findPauses } from './features/permits/server/api/pauses.ts'
import type { PermitCall } from './features/permits/server/api/shown.ts'
import { RequestsWaiting, ReviewsWaiting } from './features/permits/views/waiting.tsx'
import type { Read } from './kernel/input.ts'
import type { View } from './web/pages/table.ts'

/** The first page: operators begin with their customers, leads and auditors with what waits for them. */
export async function showHome(call: PermitCall & { readonly query: Read<typeof SEARCH> }) {
  if (call.caller.role === 'operator') return { customers: await searchCustomers(call) }
  const [month, running, requests, reviews, alarms] = await Promise.all([
    countThisMonth(call),
    findPauses(call).then((pauses) => listRunning({ ...call, query: {} }, pauses)),
    findToDecide(call),
    findToReview(call),
    findAlarms(call),
  ])
  return { month, running, requests, reviews, alarms }
}

export const homePage: View<Awaited<ReturnType<typeof showHome>>, FrameAt> = (model, at) => {
  if ('customers' in model) return customersPage(model.customers, at)
  const { month, running, requests, reviews, alarms } = model
  const parts = {
    month,
    running: <RunningNow of={running} />,
    waiting: (
      <>
        <RequestsWaiting of={requests} />
        <ReviewsWaiting of={reviews} />
        <AlarmsWaiting of={alarms} />
      </>
    ),
  }
  return overviewPage(parts, at)
}
