import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { dateOf } from '../../../web/kit/dates.ts'
import { say } from '../../../web/kit/message.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { Page } from '../../../web/kit/page.tsx'
import { permitPath } from '../../../web/kit/paths.ts'
import { go, Link } from '../../../web/kit/router.tsx'
import { counted, Text, text, words } from '../../../web/kit/text.tsx'
import { Ticket } from '../../../web/kit/ticket.tsx'
import { Time } from '../../../web/kit/time.tsx'
import { useLive } from '../../../web/session/live.ts'
import { Loaded } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import { inWords } from '../../../web/session/problem.ts'
import type { Session } from '../../../web/session/session.ts'
import { Exporting, useExport } from '../../../web/session/use-export.tsx'
import type { HistoryAnswer, PastPermitAnswer } from '../server/api/answers.ts'
import type { HistoryFilter } from '../server/history-filter.ts'
import { DecisionList } from './decisions.tsx'
import {
  HistoryFilters,
  historyAddressOf,
  historyFilterOf,
  historyQueryOf,
} from './history-filter.tsx'
import { accessOf, permitActing } from './in-words.ts'
import { StateBadge } from './permit-card.tsx'
import { ApprovalTabs } from './tabs.tsx'

const { permits: labels } = words

/** All requests and emergencies: who asked, who decided with which note, and what came of a refusal. */
export function HistoryPage({ session, page }: PageProps) {
  const filter = historyFilterOf(page.query)
  const address = historyAddressOf(filter)
  const isOwn = session.me.role === 'operator'
  const first = useLive<HistoryAnswer>(session, `/permits/history?${historyQueryOf(filter)}`)
  // The list before stays until that of the new filter is there, and what is new waits for a click.
  const shown = useRef<{ address: string; value: HistoryAnswer }>()
  const [, redraw] = useState({})
  const show = () => {
    shown.current = first.value && { address, value: first.value }
  }
  if (shown.current?.address !== address && first.value) show()
  const news = newIn(first.value, shown.current?.value)
  return (
    <Page
      title={labels.history.title}
      about={isOwn ? labels.history.aboutOwn : labels.history.about}
    >
      <ApprovalTabs current="history" />
      <HistoryFilters
        session={session}
        filter={filter}
        people={peopleIn(shown.current?.value.permits ?? [])}
        isOwn={isOwn}
        onChange={(changed, how) => go(`/approvals/history${historyAddressOf(changed)}`, how)}
      />
      <div class="list-head">
        <div class="newer" role="status">
          {news > 0 && shown.current?.address === address && (
            <>
              <span>{counted(labels.history.newer, news)}</span>
              <Button
                onPress={() => {
                  show()
                  redraw({})
                }}
              >
                {words.impersonations.audit.showNewer}
              </Button>
            </>
          )}
        </div>
        {!isOwn && <HistoryExport session={session} filter={filter} />}
      </div>
      <Loaded of={{ ...first, value: shown.current?.value }} label={labels.loading} lines={8}>
        {(answer) => (
          <div aria-busy={shown.current?.address !== address}>
            <List key={answer.now} session={session} filter={filter} answer={answer} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** How many are new or changed, of those that are shown first. */
function newIn(now: HistoryAnswer | undefined, shown: HistoryAnswer | undefined): number {
  const before = new Map(shown?.permits.map((permit) => [permit.id, JSON.stringify(permit)]))
  const all = now?.permits ?? []
  return all.filter((permit) => before.get(permit.id) !== JSON.stringify(permit)).length
}

function List(props: { session: Session; filter: HistoryFilter; answer: HistoryAnswer }) {
  const { session, filter, answer } = props
  const [{ permits, next }, setShown] = useState(answer)
  const showOlder = async () => {
    try {
      const query = historyQueryOf(filter)
      query.set('before', next ?? '')
      const older = await session.ask<HistoryAnswer>(`/permits/history?${query}`)
      setShown({ ...older, permits: [...permits, ...older.permits] })
    } catch (error) {
      say('trouble', inWords(error), { label: words.web.tryAgain, run: showOlder })
    }
  }
  return (
    <>
      {permits.length === 0 ? (
        <p class="empty">{next === undefined ? labels.history.none : labels.history.noneSoFar}</p>
      ) : (
        <ul class="cards" aria-label={labels.history.title}>
          {permits.map((permit) => (
            <PastCard key={permit.id} permit={permit} />
          ))}
        </ul>
      )}
      {next !== undefined && <Button onPress={showOlder}>{labels.older}</Button>}
    </>
  )
}

function PastCard({ permit }: { permit: PastPermitAnswer }) {
  const { ticket, ticketUrl, reason, requestedAt } = permit
  const acting = permitActing(permit)
  return (
    <li class="card" aria-label={acting}>
      <div class="section-head">
        <h2>
          <Text
            of={labels.acting}
            operator={<bdi class="person">{nameOf(permit.operator)}</bdi>}
            customer={<bdi class="person">{nameOf(permit.customer)}</bdi>}
          />
        </h2>
        <StateBadge permit={permit} />
      </div>
      <p>
        <Time at={requestedAt} form="long" />
        {' · '}
        <bdi>{permit.applicationName ?? permit.application}</bdi>
        {' · '}
        {accessOf(permit)}
      </p>
      <p class="why">
        <Ticket of={ticket} url={ticketUrl} /> <bdi class="free">{reason}</bdi>
      </p>
      <DecisionList permit={permit} />
      <div class="actions">
        <Link
          to={permitPath(permit.id)}
          class="button quiet"
          label={text(labels.openLabel, { acting })}
        >
          {labels.open}
        </Link>
      </div>
    </li>
  )
}

function HistoryExport({ session, filter }: { session: Session; filter: HistoryFilter }) {
  const exporting = useExport(session)
  const { export: names } = words.impersonations.audit
  const save = () =>
    exporting.save({
      path: `/permits/history.csv?${historyQueryOf(filter)}`,
      name: `approvals-${dateOf(Date.now() + session.clockOffset)}.csv`,
      type: 'text/csv',
    })
  return (
    <details class="exports">
      <summary>{names.title}</summary>
      <div class="exports-body">
        <p>{names.about}</p>
        <div class="actions">
          <Button label={names.csvLabel} onPress={save}>
            {names.csv}
          </Button>
        </div>
        <Exporting going={exporting.going} cancel={exporting.cancel} />
      </div>
    </details>
  )
}

/** The people of the list, for suggestions. */
function peopleIn(permits: readonly PastPermitAnswer[]) {
  const names = (of: readonly AuditPerson[]) => new Map(of.map((each) => [each.id, nameOf(each)]))
  const said = permits.flatMap(({ decisions, revoked, review }) =>
    [...decisions, revoked, review].flatMap((each) => each?.by ?? []),
  )
  const operators = permits.map(({ operator }) => operator)
  return {
    operator: names(operators),
    customer: names(permits.map(({ customer }) => customer)),
    person: names([...operators, ...said]),
  }
}
