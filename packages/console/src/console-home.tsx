import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { type FrameAt, waitingText } from './console-frame.tsx'
import { findAlarms } from './features/alarms/server/list.ts'
import { OpenAlarms } from './features/alarms/views/open-alarms.tsx'
import { type SEARCH, searchCustomers } from './features/impersonations/server/customers.ts'
import { listRunning } from './features/impersonations/server/running.ts'
import { customersPage } from './features/impersonations/views/customers-page.tsx'
import { RunningNow } from './features/impersonations/views/running-now.tsx'
import { countThisMonth } from './features/overview/server/month.ts'
import { ThisMonth } from './features/overview/views/this-month.tsx'
import { listPermits } from './features/permits/server/api/lists.ts'
import { findPauses } from './features/permits/server/api/pauses.ts'
import type { PermitCall } from './features/permits/server/api/shown.ts'
import { PausedOperators } from './features/permits/views/pauses.tsx'
import { PermitList } from './features/permits/views/permit-list.tsx'
import { type ErasingCall, findToConfirm } from './features/personal-data/server/api.ts'
import { ErasureRequests } from './features/personal-data/views/personal-data-page.tsx'
import type { Read } from './kernel/input.ts'
import { log } from './kernel/log-line.ts'
import type { View } from './web/pages/table.ts'

type HomeCall = ErasingCall & PermitCall & { readonly query: Read<typeof SEARCH> }

/** Shows what a person begins with: an operator their customers, others what waits and who acts now. */
export async function showHome(call: HomeCall) {
  return call.caller.role === 'operator' ? showCustomers(call) : showInbox(call)
}

/** Finds customers. Beside them stands what the caller runs and asked for, and what waits for them. */
export async function showCustomers(call: HomeCall) {
  const [found, waiting, { running }] = await Promise.all([
    searchCustomers(call),
    findWaiting(call),
    listRunning(call),
  ])
  return { ...found, ...waiting, running }
}

async function showInbox(call: HomeCall) {
  const [running, waiting, alarms, month] = await Promise.all([
    listRunning(call),
    findWaiting(call),
    unlessTrouble(() => findAlarms(call)),
    unlessTrouble(() => countThisMonth(call)),
  ])
  return { ...running, ...waiting, alarms, month }
}

/** What waits for a word of the caller. */
async function findWaiting(call: HomeCall) {
  const [permits, pauses, erasures] = await Promise.all([
    unlessTrouble(() => listPermits(call)),
    unlessTrouble(() => findPauses(call)),
    unlessTrouble(() => findToConfirm(call)),
  ])
  return { ...permits, pauses, erasures }
}

type Waiting = Awaited<ReturnType<typeof findWaiting>>

/** What runs can be ended while the audit cannot be read, too. */
async function unlessTrouble<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    log(`a part of the first page is missing: ${reasonOf(error)}`)
    return undefined
  }
}

/** The customers of an operator or a lead, with what they asked for. */
export const customersHome: View<Awaited<ReturnType<typeof showCustomers>>, FrameAt> = (
  model,
  at,
) => {
  const { permits = [], pauses = [] } = model
  const said = at.news.decided.map(({ id }) => id)
  const own = permits.filter(({ id, isMine }) => isMine && !said.includes(id))
  return {
    ...customersPage(model, at),
    ids: [...permits, ...pauses].map(({ id }) => id),
    body: (
      <>
        {at.me.role === 'operator' && <WaitingParts of={model} />}
        {customersPage(model, at).body}
        <PermitList name={at.words.permits.mine} of={own} />
      </>
    ),
  }
}

export const homePage: View<Awaited<ReturnType<typeof showHome>>, FrameAt> = (model, at) => {
  if (!('month' in model)) return customersHome(model, at)
  const { alarms, month, pauses = [] } = model
  const { overview, impersonations, web } = at.words
  const isLead = at.me.role === 'lead'
  const isPartial = [alarms, month, model.permits, model.pauses, model.erasures].includes(undefined)
  const running = <RunningNow of={model} pauses={pauses} isTitled={isLead} />
  return {
    title: isLead ? overview.title : impersonations.running.title,
    body: (
      <>
        {isPartial && <p class="message trouble">{web.problems.notShown}</p>}
        {!isLead && running}
        <WaitingParts of={model} />
        {isLead && running}
        <PermitList
          name={at.words.permits.inForce}
          of={(model.permits ?? []).filter(({ isMine, state }) => state === 'granted' && !isMine)}
        />
        {month && <ThisMonth of={month} />}
      </>
    ),
  }
}

/** Screen readers hear the number when it changes. */
function WaitingParts(
  {
    of,
  }: { of: Waiting & { readonly alarms?: Parameters<typeof OpenAlarms>[0]['of'] | undefined } },
  at: FrameAt,
) {
  const { alarms = [], erasures = [], pauses = [], permits = [], toReview = [] } = of
  const { permits: labels } = at.words
  // Who approves nothing is told nothing.
  const isIdle = at.waits === 0 && at.me.role !== 'lead'
  return (
    <>
      <p role="status" data-about="*" class={isIdle ? 'unseen' : 'found'}>
        {!isIdle && waitingText(at)}
      </p>
      <PermitList name={labels.review} about={labels.reviewAbout} of={toReview} />
      <OpenAlarms of={alarms} />
      <PausedOperators of={pauses} />
      <PermitList name={labels.decide} of={permits.filter(({ may }) => may.includes('granted'))} />
      <ErasureRequests of={erasures} />
    </>
  )
}
