import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../api/console/answers.ts'
import { Badge, Button, Page, Skeleton } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { auditPath } from '../kit/paths.ts'
import { Link } from '../kit/router.tsx'
import { counted, text, words } from '../kit/text.tsx'
import { Ticket } from '../running/ticket.tsx'
import { Problem } from '../session/load.tsx'
import type { PageProps } from '../session/page-routes.ts'
import { inWords } from '../session/problem.ts'
import type { Session } from '../session/session.ts'
import { AlarmWatch, alarmKey } from './alarm-watch.ts'
import { Opens } from './back.tsx'
import { Acting, actingOf, Moment } from './in-words.tsx'
import { NoteDialog } from './note-dialog.tsx'

/** The API answers with no more. */
const MAX_ALARMS = 100
const { alarmsPage: labels, impersonation } = words.audit

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
    <Page title={labels.title} about={labels.about}>
      <div class="list-head">
        <p class="shown-count">{rows.length > 0 && counted(labels.shown, rows.length)}</p>
        <div class="newer" role="status">
          {newer > 0 && (
            <>
              <span>{counted(labels.newer, newer)}</span>
              <Button onPress={show}>{words.audit.showNewer}</Button>
            </>
          )}
        </div>
      </div>
      {watch.problem !== undefined && <Problem error={watch.problem} again={() => watch.load()} />}
      {watch.state === 'loading' && <Skeleton label={labels.loading} lines={6} />}
      {shown.current && rows.length === 0 && <p class="empty">{labels.none}</p>}
      <ul class="alarms" aria-label={labels.list}>
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
      {watch.rows.length >= MAX_ALARMS && (
        <p class="note">{text(labels.many, { count: MAX_ALARMS })}</p>
      )}
      <p>
        <Link to="/audit?alarm=any">{labels.past}</Link>
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
        {alarm.count > 1 && <>{counted(labels.times, alarm.count)} · </>}
        <Moment of={labels.lastAt} at={alarm.at} />
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
          <Badge tone="good">{labels.done}</Badge>
        )}
        <Opens to={auditPath(row.id)}>{labels.open}</Opens>
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
