import { isAlarmOpen, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type {
  AuditAnswer,
  CustomerAnswer,
  RowAnswer,
  RunningImpersonation,
} from '../../../../web/answers.ts'
import { Actor } from '../../../../web/kit/actor.tsx'
import { Badge } from '../../../../web/kit/badge.tsx'
import { Button } from '../../../../web/kit/button.tsx'
import { outcomeText } from '../../../../web/kit/outcome.ts'
import { auditPath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { Table, type TableColumn } from '../../../../web/kit/table.tsx'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import { Ticket } from '../../../../web/kit/ticket.tsx'
import { Time } from '../../../../web/kit/time.tsx'
import { ReviewMark } from '../../../../web/kit/unapproved.tsx'
import { useTimeUntilExpiry } from '../../../../web/session/clock.ts'
import { keepUp } from '../../../../web/session/live.ts'
import { Loaded, ProblemMessage, useLoad } from '../../../../web/session/load.tsx'
import type { Session } from '../../../../web/session/session.ts'

/** How many rows are shown at first, and by each press of *Show more*. */
const ROWS_PER_PRESS = 20
/** The largest page that the server answers. */
const MAX_ROWS_PER_PAGE = 200

/**
 * Who acted as this customer: newest first. It follows what happens, as the rest of the page does: what
 * others start is known by who acts now.
 */
export function Past(props: {
  session: Session
  customer: CustomerAnswer
  running: readonly RunningImpersonation[]
}) {
  const { session, customer, running } = props
  const { past } = words.impersonations.operators
  const ask = (signal?: AbortSignal, before?: string, limit = ROWS_PER_PRESS) => {
    const query = new URLSearchParams({ customer: customer.id, limit: String(limit) })
    if (before !== undefined) query.set('before', before)
    return session.ask<AuditAnswer>(`/audit?${query}`, signal ? { signal } : {})
  }
  const shown = useRef(ROWS_PER_PRESS)
  // What was shown already is in the answer again, as far as one answer can hold it.
  const first = useLoad(
    (signal) => ask(signal, undefined, Math.min(shown.current, MAX_ROWS_PER_PAGE)),
    [customer.id],
  )
  const { value } = first
  const [later, setLater] = useState<Later>({ of: undefined, answers: [] })
  const [error, setError] = useState<unknown>()
  const answers = value ? [value, ...(later.of === value ? later.answers : [])] : []
  const rows = answers.flatMap((answer) => answer.rows)
  shown.current = Math.max(ROWS_PER_PRESS, rows.length)
  const next = answers.at(-1)?.next
  const now = useTimeUntilExpiry(session, rows)
  useRefresh(session, first.reload, running)
  const more = async () => {
    try {
      const answer = await ask(undefined, next)
      setError(undefined)
      setLater({ of: value, answers: [...answers.slice(1), answer] })
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <section aria-labelledby="past" class="past">
      <h2 id="past">{past.title}</h2>
      <Loaded of={first} label={past.loading} lines={5}>
        {() =>
          rows.length === 0 ? (
            <p class="empty">{text(past.none, { name: customer.name })}</p>
          ) : (
            <Table
              label={past.title}
              columns={columnsFor(session, now)}
              rows={rows}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      {error !== undefined && <ProblemMessage error={error} again={more} />}
      {error === undefined && next !== undefined && (
        <Button onPress={more}>{words.impersonations.operators.more}</Button>
      )}
    </section>
  )
}

interface Later {
  /** The first answer, which these come after. */
  readonly of: AuditAnswer | undefined
  readonly answers: readonly AuditAnswer[]
}

/** Asks again after each change that this person is told of, and when others start or end. */
function useRefresh(
  session: Session,
  reload: () => Promise<void>,
  running: readonly RunningImpersonation[],
): void {
  useEffect(() => keepUp(session, reload), [session])
  const ids = running
    .map(({ id }) => id)
    .toSorted()
    .join()
  const seen = useRef(ids)
  useEffect(() => {
    if (seen.current !== ids) void reload()
    seen.current = ids
  }, [ids])
}

function columnsFor({ me }: Session, now: number): readonly TableColumn<RowAnswer>[] {
  const { past } = words.impersonations.operators
  const { columns } = past
  return [
    {
      name: columns.started,
      cell: (row) => {
        const time = <Time at={row.startedAt ?? row.at} />
        // An operator reads only what they did themselves.
        const mayOpen = me.role !== 'operator' || row.operator?.id === me.id
        return mayOpen ? <Link to={auditPath(row.id)}>{time}</Link> : time
      },
    },
    {
      name: columns.operator,
      cell: (row) => <Actor of={row} unknown={words.impersonations.running.unnamed} />,
    },
    {
      name: columns.ticket,
      cell: ({ ticket, ticketUrl }) => <Ticket of={ticket} url={ticketUrl} />,
    },
    { name: columns.reason, cell: ({ reason }) => <bdi>{reason}</bdi> },
    {
      name: columns.outcome,
      cell: (row) => {
        const outcome = outcomeOf(row, now)
        return (
          <span class="marks">
            <Badge tone={isAlarmOpen(row) ? 'alarm' : outcome === 'running' ? 'good' : 'plain'}>
              {outcomeText(row, outcome)}
            </Badge>
            <ReviewMark review={row.review} />
          </span>
        )
      },
    },
    { name: columns.done, cell: doneIn },
  ]
}

function doneIn({ reads, changes, refused }: RowAnswer): ComponentChildren {
  const { reads: read, changes: changed, refusedActs } = words.impersonations.audit.impersonation
  const parts = [
    ...(reads > 0 ? [counted(read, reads)] : []),
    ...(changes > 0 ? [counted(changed, changes)] : []),
    ...(refused > 0 ? [counted(refusedActs, refused)] : []),
  ]
  if (parts.length === 0) return words.impersonations.operators.past.nothing
  // One element: on phones, a cell is a grid.
  return (
    <span>
      {parts.map((part, index) => (
        <Fragment key={part}>
          {index > 0 && ', '}
          <span class="count-of">{part}</span>
        </Fragment>
      ))}
    </span>
  )
}
