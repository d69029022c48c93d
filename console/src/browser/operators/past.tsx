import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AuditAnswer, CustomerAnswer, RowAnswer } from '../../api/answers.ts'
import { Badge, Button, type Column, Person, Table, Time } from '../kit.tsx'
import { Loaded, Problem, useLoad } from '../load.tsx'
import { Link } from '../router.tsx'
import { Ticket } from '../running/ticket.tsx'
import type { Session } from '../session.ts'
import { counted, text, words } from '../text.tsx'

/** How many rows are shown at first, and by each press of *Show more*. */
const PAGE = 20

/** Who acted as this customer: newest first. It stays as it is while it is read. */
export function Past({ session, customer }: { session: Session; customer: CustomerAnswer }) {
  const { past } = words.operators
  const ask = (signal?: AbortSignal, before?: string) => {
    const query = new URLSearchParams({ customer: customer.id, limit: String(PAGE) })
    if (before !== undefined) query.set('before', before)
    return session.ask<AuditAnswer>(`/audit?${query}`, signal ? { signal } : {})
  }
  const first = useLoad((signal) => ask(signal), [customer.id])
  const [later, setLater] = useState<readonly AuditAnswer[]>([])
  const [error, setError] = useState<unknown>()
  const { value } = first
  useEffect(() => setLater([]), [value])
  const next = (later.at(-1) ?? value)?.next
  const more = async () => {
    try {
      const answer = await ask(undefined, next)
      setError(undefined)
      setLater((before) => [...before, answer])
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <section aria-labelledby="past" class="past">
      <h2 id="past">{past.title}</h2>
      <Loaded of={first} label={past.loading} lines={5}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="empty">{text(past.none, { name: customer.name })}</p>
          ) : (
            <Table
              label={past.title}
              columns={columnsFor(session)}
              rows={[...rows, ...later.flatMap((answer) => answer.rows)]}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      {error !== undefined && <Problem error={error} again={more} />}
      {error === undefined && next !== undefined && (
        <Button onPress={more}>{words.operators.more}</Button>
      )}
    </section>
  )
}

function columnsFor({ me }: Session): readonly Column<RowAnswer>[] {
  const { past } = words.operators
  const { columns } = past
  return [
    {
      name: columns.started,
      cell: (row) => {
        const time = <Time at={row.startedAt ?? row.at} />
        // An operator reads only what they did themselves.
        const mayOpen = me.role !== 'operator' || row.operator?.id === me.id
        return mayOpen ? <Link to={`/audit/${encodeURIComponent(row.id)}`}>{time}</Link> : time
      },
    },
    {
      name: columns.operator,
      cell: ({ operator }) => (operator ? <Person {...operator} /> : words.running.unnamed),
    },
    { name: columns.ticket, cell: ({ ticket }) => <Ticket of={ticket} /> },
    { name: columns.reason, cell: ({ reason }) => <bdi>{reason}</bdi> },
    {
      name: columns.outcome,
      cell: ({ outcome, isAlarmOpen }) => (
        <Badge tone={isAlarmOpen ? 'alarm' : outcome === 'running' ? 'good' : 'plain'}>
          {past.outcomes[outcome]}
        </Badge>
      ),
    },
    { name: columns.done, cell: doneIn },
  ]
}

function doneIn({ reads, changes, refused }: RowAnswer): ComponentChildren {
  const { past } = words.operators
  const parts = [
    ...(reads > 0 ? [counted(past.reads, reads)] : []),
    ...(changes > 0 ? [counted(past.changes, changes)] : []),
    ...(refused > 0 ? [counted(past.refused, refused)] : []),
  ]
  if (parts.length === 0) return past.nothing
  return parts.map((part, index) => (
    <Fragment key={part}>
      {index > 0 && ', '}
      <span class="count-of">{part}</span>
    </Fragment>
  ))
}
