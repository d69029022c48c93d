import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { RowAnswer } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { focusSearch, useListKeys } from '../../../../web/kit/list-keys.ts'
import { say } from '../../../../web/kit/message.tsx'
import { Page } from '../../../../web/kit/page.tsx'
import { go, Link } from '../../../../web/kit/router.tsx'
import { useShortcut } from '../../../../web/kit/shortcuts.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { counted, Text, words } from '../../../../web/kit/text.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { useSlow } from '../../../../web/kit/use-slow.ts'
import { ProblemMessage } from '../../../../web/session/load.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { inWords } from '../../../../web/session/problem.ts'
import { Exports } from './exports.tsx'
import { addressOf, unknownConditionsOf } from './filter.ts'
import { Filters } from './filters.tsx'
import type { AuditList } from './list.ts'
import { Newer } from './newer.tsx'
import { ImpersonationRows } from './rows.tsx'
import { useList, visibleFilterOf } from './use-list.ts'

const { audit } = words.impersonations
/** The search of the audit: see `TextFilter`. */
const SEARCH_ID = 'filter-text'
const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The audit by impersonation; for operators, what they did. */
export function AuditPage(props: PageProps) {
  const unknown = unknownConditionsOf(props.page.query)
  if (unknown.length === 0) return <ListPage {...props} />
  return (
    <Page title={titleOf(props.session.me.role === 'operator', undefined)}>
      <p class="message refused" role="alert">
        {counted(audit.unknownConditions, unknown.length, { names: unknown.join(', ') })}
      </p>
      <Link to="/audit">{audit.filter.clear}</Link>
    </Page>
  )
}

function ListPage({ session, page }: PageProps) {
  const list = useList(session, page)
  // The rows before stay until those of the new filter are there, so that the page does not jump.
  const last = useRef(list)
  if (list.state === 'ready') last.current = list
  const shown = list.state === 'loading' ? last.current : list
  const isSlow = useSlow(list.state === 'loading')
  const isReturn = list.state === 'ready'
  useReturn(list)
  useListKeys({
    searchId: SEARCH_ID,
    stops: '.list tbody th a, .list > button',
    isSearched: (search) => list.state === 'ready' && (list.text ?? '') === search,
  })
  const { role } = session.me
  const isOwn = role === 'operator'
  useAuditorSearch(role === 'auditor', isReturn)

  const filter = visibleFilterOf(session, page)
  const change = (filter: Parameters<typeof addressOf>[0], how?: { instead: boolean }) => {
    const address = addressOf(filter)
    if (address !== list.address) go(`/audit${address}`, how)
  }
  return (
    <Page title={titleOf(isOwn, filter.customer)} about={pageAbout(isOwn, filter.customer)}>
      <Filters
        filter={filter}
        session={session}
        now={Date.now() + session.clockOffset}
        people={peopleOf(shown.rows)}
        isOwn={isOwn}
        onChange={change}
      />
      <div class="list-head">
        <ShownCount list={shown} />
        <Newer list={list} />
        {!isOwn && <Exports session={session} filter={filter} />}
      </div>
      {list.state === 'failed' && <ProblemMessage error={list.problem} again={() => list.load()} />}
      {shown.state === 'loading' && isSlow && <Skeleton label={audit.loading} lines={8} />}
      {shown.state === 'ready' && (
        <div aria-busy={list.state === 'loading'} class={isSlow ? 'list stale' : 'list'}>
          {shown.rows.length > 0 ? (
            <ImpersonationRows rows={shown.rows} session={session} />
          ) : (
            <p class="empty">{nothingOf(isOwn, shown)}</p>
          )}
          <Older list={shown} />
          {shown.rows.length > 0 && (
            <p class="note">
              <Text of={audit.zone} zone={TIME_ZONE} />
            </p>
          )}
        </div>
      )}
    </Page>
  )
}

/** The way to what is older; where the search has not looked at all yet, to where it goes on. */
function Older({ list }: { list: AuditList }) {
  const { next, lookedTo } = list
  return (
    <>
      <div role="status">
        {lookedTo !== undefined && (
          <p class="note">
            <Text of={audit.lookedTo} time={<Time at={lookedTo} />} />
          </p>
        )}
      </div>
      {next !== undefined && (
        <Button onPress={() => showOlder(list)}>
          {lookedTo === undefined ? audit.older : audit.lookFurther}
        </Button>
      )}
    </>
  )
}

/** Goes back to the scroll place and the row, where the list is one that was left. */
function useReturn(list: AuditList): void {
  const [back, focus] = [list.state === 'ready' ? list.scroll : undefined, list.focus]
  useLayoutEffect(() => {
    if (back !== undefined) scrollTo(0, back)
  }, [list])
  // The heading takes the focus when a page is shown: after that.
  useEffect(() => {
    if (back === undefined) return
    if (focus !== undefined) focusRow(focus)
    scrollTo(0, back)
  }, [list])
}

/** Auditors begin here, with the search: it has the focus, unless they come back to a list. */
function useAuditorSearch(isAuditor: boolean, isReturn: boolean): void {
  useShortcut('/', audit.searchShortcut, () => focusSearch(SEARCH_ID), { isOff: !isAuditor })
  // The heading takes the focus when a page is shown: after that.
  useEffect(() => {
    if (isAuditor && !isReturn) focusSearch(SEARCH_ID)
  }, [])
}

function focusRow(id: string): void {
  document.getElementById(id)?.querySelector('a')?.focus({ preventScroll: true })
}

async function showOlder(list: AuditList): Promise<void> {
  const count = list.rows.length
  try {
    await list.loadOlder()
    // The button goes down or away: the focus stays where it was, on the first row that came.
    const first = list.rows[count]
    if (first) requestAnimationFrame(() => focusRow(`row-${first.id}`))
    else if (list.next === undefined) focusSearch(SEARCH_ID)
  } catch (error) {
    say('trouble', inWords(error), { label: words.web.tryAgain, run: () => showOlder(list) })
  }
}

/** How many rows are shown, and whether those are all. */
function ShownCount({ list }: { list: AuditList }) {
  const of = list.next === undefined ? audit.shownAll : audit.shown
  return (
    <p class="shown-count" role="status">
      {list.state === 'ready' && counted(of, list.rows.length)}
    </p>
  )
}

function nothingOf(isOwn: boolean, { address, lookedTo }: AuditList): string {
  if (lookedTo !== undefined) return audit.nothingYet
  if (address !== '') return audit.nothing
  return isOwn ? audit.emptyOwn : audit.empty
}

function titleOf(isOwn: boolean, customer: string | undefined): string {
  if (!isOwn) return audit.title
  return customer === undefined ? audit.titleOwn : audit.titleCustomer
}

function pageAbout(isOwn: boolean, customer: string | undefined): string {
  if (!isOwn) return audit.about
  return customer === undefined ? audit.aboutOwn : audit.aboutCustomer
}

/** The people of the rows, for suggestions and for the names of conditions. */
function peopleOf(rows: readonly RowAnswer[]) {
  const [operators, customers] = [new Map<string, string>(), new Map<string, string>()]
  for (const { operator, customer } of rows) {
    if (operator) operators.set(operator.id, operator.name ?? operator.id)
    if (customer) customers.set(customer.id, customer.name ?? customer.id)
  }
  return { operators, customers }
}
