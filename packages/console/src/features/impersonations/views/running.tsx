import type { AuditPerson } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { RowAnswer } from '../../../web/answers.ts'
import { type At, counted, type StaffAt, text } from '../../../web/kit/at.ts'
import { Badge, UnapprovedMark } from '../../../web/kit/badge.tsx'
import { ActionButton } from '../../../web/kit/form.tsx'
import { Link } from '../../../web/kit/link.tsx'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { auditPath, customerPath } from '../../../web/kit/paths.ts'
import { Actor, actorName, NamedPerson, personName } from '../../../web/kit/people.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { Text, Ticket } from '../../../web/kit/text.tsx'
import { Countdown, Time } from '../../../web/kit/time.tsx'
import type { RunningAnswer, RunningImpersonation } from '../server/running.ts'
import { RequestInWords } from './entry.tsx'

/** Impersonations that run: of each operator together, with the buttons of a lead above. */
export function RunningNow(
  { of: { more, running }, isTitled }: { of: RunningAnswer; isTitled: boolean },
  at: StaffAt,
) {
  const count = running.length
  const labels = at.words.impersonations.running
  const mayAct = at.me.role !== 'auditor'
  const told = more ? text(at, labels.more, { count }) : counted(at, labels.counted, count)
  return (
    <section>
      {isTitled && <h2>{labels.title}</h2>}
      {/* Screen readers hear the number when it changes. */}
      <p role="status" data-about="*" class={count === 0 ? 'empty' : undefined}>
        {count === 0 ? labels.empty : told}
      </p>
      {count > 0 && (
        <Table
          label={labels.title}
          rows={running}
          group={{
            of: ({ operator, software }) => operator?.id ?? `${software} alone`,
            // An operator stands above what software runs for them, too.
            head: ({ operator, software }) => <Actor of={operator ? { operator } : { software }} />,
            actions: ({ operator }) => <StopButton operator={operator} />,
          }}
          names={labels.columns}
          numeric={['left']}
          cells={{
            customer({ customer }) {
              const person = <NamedPerson of={customer} />
              return mayAct ? <Link to={customerPath(customer.id)}>{person}</Link> : person
            },
            ticket: (row) => <Ticket of={row} />,
            reason: ({ reason }) => <bdi class="free">{reason}</bdi>,
            application: (it) => (
              <span class="marks">
                <bdi>{it.applicationName}</bdi>
                {it.software !== undefined && (
                  <span class="soft">
                    <Actor of={it} />
                  </span>
                )}
              </span>
            ),
            access: (it) => <AccessMarks of={it} />,
            latest: (it) => <Latest of={it} />,
            started: ({ startedAt }) => <Time at={startedAt} form="ofDay" />,
            left: ({ expiresAt }) => <Countdown until={expiresAt} />,
            end: mayAct && ((it) => <EndButton of={it} />),
          }}
        />
      )}
    </section>
  )
}

/** The newest request, and the way to all that was done. */
function Latest({ of: { id, lastUse } }: { of: RunningImpersonation }, { words }: At) {
  if (!lastUse) return <Link to={auditPath(id)}>{words.impersonations.running.nothingYet}</Link>
  return (
    <span class="latest">
      <Link to={auditPath(id)}>
        <RequestInWords isShort {...lastUse} />
      </Link>
      <Time at={lastUse.at} form="ofDay" />
    </span>
  )
}

/** One that runs, in a line: the ticket, the application, the access, and the time that is left. */
export function RunningLine(
  { of: it, children }: { of: RunningImpersonation; children: ComponentChildren },
  { words }: At,
) {
  return (
    <>
      <b class="acting-as">{children}</b>
      <Ticket of={it} />
      {it.applicationName !== undefined && <bdi>{it.applicationName}</bdi>}
      <AccessMarks of={it} />
      <span>
        <Text of={words.impersonations.running.left} time={<Countdown until={it.expiresAt} />} />
      </span>
    </>
  )
}

/** Marks of one that runs: it can change something, and nobody approved it. */
function AccessMarks({ of }: { of: RunningImpersonation }, { words }: At) {
  const { change, look } = words.impersonations.running
  return (
    <span class="marks">
      {of.canChange !== undefined && (
        <Badge tone={of.canChange ? 'warning' : 'plain'}>{of.canChange ? change : look}</Badge>
      )}
      <UnapprovedMark of={of} />
    </span>
  )
}

/** Ends what runs, if the reader may. @param props.id of the form, if the page has this button twice */
export function EndButton({ of: it, id }: { of: RowAnswer; id?: string }, at: At) {
  const { end, endMine, endOf } = at.words.impersonations.running
  if (!it.canEnd) return null
  const slots = { operator: actorName(at, it), customer: personName(at, it.customer) }
  return (
    <ActionButton
      action={`/running/${it.id}/end`}
      id={id}
      kind="danger"
      label={text(at, it.isMine ? endMine : endOf, slots)}
    >
      {end}
    </ActionButton>
  )
}

/** Ends what an operator runs, and keeps them from starting: for other leads. */
export function StopButton({ operator }: { operator: AuditPerson | undefined }, at: StaffAt) {
  const labels = at.words.impersonations.running.stop
  if (!operator || at.me.role !== 'lead' || operator.id === at.me.id) return null
  const slots = { operator: personName(at, operator) }
  return (
    <NoteAction
      action="/stops"
      kind="danger"
      fields={{ operator: operator.id }}
      label={text(at, labels.button, slots)}
      about={text(at, labels.about, slots)}
    />
  )
}
