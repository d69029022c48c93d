import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../api/answers.ts'
import { Badge, Button, Page, Skeleton } from '../kit.tsx'
import { Problem } from '../load.tsx'
import { say } from '../message.tsx'
import { auditPath } from '../paths.ts'
import { inWords } from '../problem.ts'
import { Link } from '../router.tsx'
import type { PageProps } from '../routes.ts'
import { Ticket } from '../running/ticket.tsx'
import type { Session } from '../session.ts'
import { counted, text, words } from '../text.tsx'
import { AlarmWatch, alarmKey } from './alarm-watch.ts'
import { Opens } from './back.tsx'
import { Acting, actingOf, Moment } from './in-words.tsx'
import { NoteDialog } from './note-dialog.tsx'

/** The API answers with no more. */
const MOST = 100
const { alarmsPage: said, impersonation } = words.audit

/** The open alarms. Those that come wait for a click, and those that are acknowledged stay in place. */
export function AlarmsPage({ session }: PageProps) {
  const watch = AlarmWatch.of(session)
  const [, redraw] = useState({})
  const shown = useRef<readonly RowAnswer[]>()
  if (watch.state === 'ready') shown.current ??= watch.rows
  useEffect(() => watch.listen(() => redraw({})), [watch])
  const rows = shown.current ?? []
  const known = new Set(rows.map(alarmKey))
  // One that has a newer alarm is open, too.
  const open = new Set(watch.rows.map(({ id }) => id))
  const newer = watch.rows.filter((row) => !known.has(alarmKey(row))).length
  const show = () => {
    shown.current = watch.rows
    redraw({})
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.alarms a')?.focus())
  }
  return (
    <Page title={said.title} about={said.about}>
      <div class="list-head">
        <p class="shown-count">{rows.length > 0 && counted(said.shown, rows.length)}</p>
        <div class="newer" role="status">
          {newer > 0 && (
            <>
              <span>{counted(said.newer, newer)}</span>
              <Button onPress={show}>{words.audit.showNewer}</Button>
            </>
          )}
        </div>
      </div>
      {watch.problem !== undefined && <Problem error={watch.problem} again={() => watch.load()} />}
      {watch.state === 'loading' && <Skeleton label={said.loading} lines={6} />}
      {shown.current && rows.length === 0 && <p class="empty">{said.none}</p>}
      <ul class="alarms" aria-label={said.list}>
        {rows.map((row) => (
          <Alarm
            key={alarmKey(row)}
            row={row}
            session={session}
            isOpen={open.has(row.id)}
            onDone={() => watch.load()}
          />
        ))}
      </ul>
      {watch.rows.length >= MOST && <p class="note">{text(said.many, { count: MOST })}</p>}
      <p>
        <Link to="/audit?alarm=any">{said.past}</Link>
      </p>
    </Page>
  )
}

function Alarm(props: {
  row: RowAnswer
  session: Session
  isOpen: boolean
  onDone: () => Promise<void>
}) {
  const { row, session, isOpen, onDone } = props
  const { alarm, objection, ticket, reason } = row
  const [isAsked, setAsked] = useState(false)
  const acknowledge = async (note: string) => {
    try {
      // What came after the page was read stays open.
      const body = { ...(note === '' ? {} : { note }), alarms: alarm?.count }
      await session.ask(`/audit/${encodeURIComponent(row.id)}/acknowledge`, {
        method: 'POST',
        body,
      })
      say('done', impersonation.wasAcknowledged)
      session.changed(row.id)
    } catch (error) {
      say('trouble', inWords(error), { label: words.frame.tryAgain, run: () => acknowledge(note) })
    }
    await onDone()
  }
  if (!alarm) return null
  return (
    <li class="card alarm">
      <h2>{alarm.kinds.map((kind) => words.audit.alarms[kind]).join('. ')}</h2>
      <p>
        <Acting row={row} />
        {' · '}
        {alarm.count > 1 && <>{counted(said.times, alarm.count)} · </>}
        <Moment of={said.lastAt} at={alarm.at} />
      </p>
      {objection?.note !== undefined && (
        <q class="said">
          <bdi>{objection.note}</bdi>
        </q>
      )}
      {(ticket ?? reason) !== undefined && (
        <p class="why">
          <Ticket of={ticket} url={row.ticketUrl} /> <bdi class="free">{reason}</bdi>
        </p>
      )}
      <div class="actions">
        {isOpen ? (
          session.me.role === 'lead' && (
            <Button
              label={text(impersonation.acknowledgeLabel, { acting: actingOf(row) })}
              onPress={() => setAsked(true)}
            >
              {impersonation.acknowledge}
            </Button>
          )
        ) : (
          <Badge tone="good">{said.done}</Badge>
        )}
        <Opens to={auditPath(row.id)}>{said.open}</Opens>
      </div>
      {isAsked && (
        <NoteDialog
          title={impersonation.acknowledge}
          about={impersonation.acknowledgeAbout}
          subject={actingOf(row)}
          isNeeded={false}
          onConfirm={acknowledge}
          onClose={() => setAsked(false)}
        />
      )}
    </li>
  )
}
