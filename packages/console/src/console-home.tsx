import { type FrameAt, waitingText } from './console-frame.tsx'
import { type SEARCH, searchCustomers } from './features/impersonations/server/customers.ts'
import { listRunning } from './features/impersonations/server/running.ts'
import { customersPage } from './features/impersonations/views/customers-page.tsx'
import { RunningNow } from './features/impersonations/views/running.tsx'
import { countThisMonth } from './features/overview/server/month.ts'
import { ThisMonth } from './features/overview/views/this-month.tsx'
import { unlessTrouble } from './kernel/log-line.ts'
import { findInbox, findOwnRecords, type Inbox } from './records/api/inbox.ts'
import type { RecordCall } from './records/api/shown.ts'
import { InboxList, RecordList } from './records/views/inbox.tsx'
import { NotShown } from './web/kit/frame.tsx'
import { Link } from './web/kit/link.tsx'
import type { View } from './web/pages/table.ts'
import type { WithQuery } from './web/parts.ts'

type HomeCall = WithQuery<typeof SEARCH, RecordCall>

/** For the log. The rest of the page can end what runs while the audit cannot be read, too. */
const MISSING = 'a part of the first page is missing'

/** Shows what a person begins with: an operator their customers, others what waits and who acts now. */
export async function showHome(call: HomeCall) {
  return call.caller.role === 'operator' ? showCustomers(call) : showInbox(call)
}

/** Finds customers. Beside them stands what the caller runs and asked for, and what waits for them. */
export async function showCustomers(call: HomeCall) {
  const [found, inbox, own, { running }] = await Promise.all([
    searchCustomers(call),
    unlessTrouble(MISSING, () => findInbox(call)),
    unlessTrouble(MISSING, () => findOwnRecords(call)),
    listRunning(call),
  ])
  return { ...found, inbox, own, running }
}

async function showInbox(call: HomeCall) {
  const [running, inbox, month] = await Promise.all([
    listRunning(call),
    unlessTrouble(MISSING, () => findInbox(call)),
    unlessTrouble(MISSING, () => countThisMonth(call)),
  ])
  return { ...running, inbox, month }
}

/** The customers of an operator or a lead, with what they asked for. */
export const customersHome: View<Awaited<ReturnType<typeof showCustomers>>, FrameAt> = (
  model,
  at,
) => {
  const { inbox, own = [] } = model
  const told = at.news.decided.map(({ id }) => id)
  const page = customersPage(model, at)
  return {
    ...page,
    ids: [...own, ...(inbox?.records ?? [])].map(({ id }) => id),
    body: (
      <>
        {at.me.role === 'operator' && <WaitingPart of={inbox} />}
        {page.body}
        <RecordList name={at.words.records.mine} of={own.filter(({ id }) => !told.includes(id))} />
      </>
    ),
  }
}

export const homePage: View<Awaited<ReturnType<typeof showHome>>, FrameAt> = (model, at) => {
  if (!('month' in model)) return customersHome(model, at)
  const { inbox, month } = model
  const { impersonations, records } = at.words
  const isLead = at.me.role === 'lead'
  const running = <RunningNow of={model} isTitled={isLead} />
  return {
    title: isLead ? records.inbox : impersonations.running.title,
    body: (
      <>
        {(!inbox || !month) && <NotShown />}
        {!isLead && running}
        <WaitingPart of={inbox} />
        {isLead && running}
        <p>
          <Link to="/records?state=in_force">{records.inForce}</Link>
        </p>
        {month && <ThisMonth of={month} />}
      </>
    ),
  }
}

/** Screen readers hear the number when it changes. */
function WaitingPart({ of }: { of: Inbox | undefined }, at: FrameAt) {
  // A person who approves nothing is told nothing.
  const isIdle = at.waits === 0 && at.me.role !== 'lead'
  return (
    <>
      <p role="status" data-about="*" class={isIdle ? 'unseen' : 'found'}>
        {!isIdle && waitingText(at)}
      </p>
      {of && <InboxList of={of} />}
    </>
  )
}
