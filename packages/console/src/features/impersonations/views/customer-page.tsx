import { isAlarmOpen } from 'oidc-provider-impersonation-verify/format'
import type { CustomerAnswer, RowAnswer } from '../../../web/answers.ts'
import type { View } from '../../../web/pages/table.ts'
import { counted, type StaffAt, text } from '../../../web/view/at.ts'
import { Badge } from '../../../web/view/badge.tsx'
import { Link } from '../../../web/view/link.tsx'
import { outcomeText } from '../../../web/view/outcome.ts'
import { actPath, auditPath, customerPath } from '../../../web/view/paths.ts'
import { Actor } from '../../../web/view/people.tsx'
import { Table } from '../../../web/view/table.tsx'
import { Ticket } from '../../../web/view/ticket.tsx'
import { Time } from '../../../web/view/time.tsx'
import { ReviewMark } from '../../../web/view/unapproved.tsx'
import type { CustomerPageAnswer } from '../server/customers.ts'
import { ActingNow } from './acting-now.tsx'
import { UnlessKept } from './unless-kept.tsx'
import { Who } from './who.tsx'

/** Who a customer is, who acts as them now, and who did before. */
export const customerPage: View<CustomerPageAnswer> = ({ customer, running, pause, past }, at) => {
  const { operators } = at.words.impersonations
  const { id, name } = customer
  const isActing = running.some(({ isMine }) => isMine)
  return {
    title: name,
    body: (
      <>
        <Who customer={customer} />
        <UnlessKept customer={customer} pause={pause}>
          <div class="actions">
            {/* To act again is not what comes next. */}
            <Link to={actPath(id)} class={isActing ? 'button' : 'button primary'}>
              {text(at, operators.actAs, { name })}
            </Link>
          </div>
        </UnlessKept>
        <section aria-labelledby="now">
          <h2 id="now">{text(at, operators.now.title, { name })}</h2>
          <ActingNow customer={customer} running={running} others />
        </section>
        <section aria-labelledby="past" class="past">
          <h2 id="past">{operators.past.title}</h2>
          <Past of={past} customer={customer} />
        </section>
      </>
    ),
  }
}

function Past(
  { of, customer: { id, name } }: { of: CustomerPageAnswer['past']; customer: CustomerAnswer },
  at: StaffAt,
) {
  const { past } = at.words.impersonations.operators
  const { columns } = past
  if (of === null) return <p class="message trouble">{at.words.web.problems.notShown}</p>
  if (of.rows.length === 0) return <p class="empty">{text(at, past.none, { name })}</p>
  return (
    <>
      <Table
        label={past.title}
        rows={of.rows}
        keyOf={(row) => row.id}
        columns={[
          { name: columns.started, cell: (row) => <Started of={row} /> },
          { name: columns.operator, cell: (row) => <Actor of={row} /> },
          {
            name: columns.ticket,
            cell: ({ ticket, ticketUrl }) => <Ticket of={ticket} url={ticketUrl} />,
          },
          { name: columns.reason, cell: ({ reason }) => <bdi>{reason}</bdi> },
          { name: columns.outcome, cell: (row) => <State of={row} /> },
          { name: columns.done, cell: (row) => <Done of={row} /> },
        ]}
      />
      {of.next !== undefined && (
        <Link to={`${customerPath(id)}?${new URLSearchParams({ before: of.next })}`} class="button">
          {at.words.impersonations.audit.older}
        </Link>
      )}
    </>
  )
}

function Started({ of: row }: { of: RowAnswer }, { me }: StaffAt) {
  const time = <Time at={row.startedAt ?? row.at} />
  // An operator reads only what they did themselves.
  const mayOpen = me.role !== 'operator' || row.operator?.id === me.id
  return mayOpen ? <Link to={auditPath(row.id)}>{time}</Link> : time
}

function State({ of: row }: { of: RowAnswer }, at: StaffAt) {
  return (
    <span class="marks">
      <Badge tone={isAlarmOpen(row) ? 'alarm' : row.outcome === 'running' ? 'good' : 'plain'}>
        {outcomeText(at, row, row.outcome)}
      </Badge>
      <ReviewMark review={row.review} />
    </span>
  )
}

/** One element: on phones, a cell is a grid. */
function Done({ of: { reads, changes, refused } }: { of: RowAnswer }, at: StaffAt) {
  const { audit, operators } = at.words.impersonations
  const labels = audit.impersonation
  const all = [
    [labels.reads, reads],
    [labels.changes, changes],
    [labels.refusedActs, refused],
  ] as const
  const parts = all.filter(([, count]) => count > 0)
  if (parts.length === 0) return <>{operators.past.nothing}</>
  return (
    <span>
      {parts.map(([label, count], index) => (
        <>
          {index > 0 && ', '}
          <span class="count-of">{counted(at, label, count)}</span>
        </>
      ))}
    </span>
  )
}
