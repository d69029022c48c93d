import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowAnswer } from '../../../web/answers.ts'
import { Button } from '../../../web/kit/button.tsx'
import { actingOf } from '../../../web/kit/in-words.tsx'
import { say } from '../../../web/kit/message.tsx'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { Page } from '../../../web/kit/page.tsx'
import { Link } from '../../../web/kit/router.tsx'
import { Skeleton } from '../../../web/kit/skeleton.tsx'
import { counted, text, words } from '../../../web/kit/text.tsx'
import { acknowledge } from '../../../web/session/acknowledge.ts'
import { ProblemMessage } from '../../../web/session/load.tsx'
import type { PageProps } from '../../../web/session/page-routes.ts'
import { inWords } from '../../../web/session/problem.ts'
import { AlarmCard } from './alarm-card.tsx'
import { AlarmWatch, alarmKey } from './alarm-watch.ts'

/** The API answers with no more of each rank. */
const MAX_ALARMS = 100
const { alarms } = words
const { page: labels } = alarms

/** What the page shows: it changes by a click alone. */
interface ShownAlarms {
  readonly urgent: readonly RowAnswer[]
  readonly notable: readonly RowAnswer[]
}

/** The open alarms. Those that come wait for a click, and those that are acknowledged stay in place. */
export function AlarmsPage({ session, children }: PageProps & { children: ComponentChildren }) {
  const watch = AlarmWatch.of(session)
  const [, redraw] = useState({})
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isAsked, setAsked] = useState(false)
  const shown = useRef<ShownAlarms>()
  if (watch.state === 'ready') shown.current ??= { ...watch }
  useEffect(() => watch.listen(() => redraw({})), [watch])
  const { urgent, notable } = shown.current ?? { urgent: [], notable: [] }
  const rows = [...urgent, ...notable]
  const known = new Set(rows.map(alarmKey))
  // One that has a newer alarm is open, too.
  const open = new Set(watch.rows.map(({ id }) => id))
  const newer = watch.rows.filter((row) => !known.has(alarmKey(row))).length
  const shownOpen = rows.filter(({ id }) => open.has(id)).length
  const wanted = rows.filter(({ id }) => chosen.has(id) && open.has(id))
  const show = () => {
    shown.current = { ...watch }
    redraw({})
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.alarms a')?.focus())
  }
  const confirm = async (note: string) => {
    try {
      const { missing } = await acknowledge(session, wanted, note)
      setChosen(new Set())
      const count = wanted.length - missing.length
      say('done', counted(labels.wereAcknowledged, count))
    } catch (error) {
      say('trouble', inWords(error), { label: words.web.tryAgain, run: () => confirm(note) })
    }
    await watch.load()
  }
  const listed = (list: readonly RowAnswer[], isUrgent: boolean) => (
    <ul class="alarms" aria-label={isUrgent ? labels.urgent : labels.notable}>
      {list.map((row) => (
        <AlarmCard
          key={alarmKey(row)}
          row={row}
          isOpen={open.has(row.id)}
          isUrgent={isUrgent}
          isChosen={chosen.has(row.id)}
          onChoose={
            session.me.role === 'lead' && row.operator?.id !== session.me.id
              ? (isChosen) => setChosen(changed(chosen, row.id, isChosen))
              : undefined
          }
        />
      ))}
    </ul>
  )
  return (
    <Page title={labels.title} about={labels.about}>
      <div class="list-head">
        <p class="shown-count">{shownOpen > 0 && counted(labels.shown, shownOpen)}</p>
        <div class="newer" role="status">
          {newer > 0 && (
            <>
              <span>{counted(labels.newer, newer)}</span>
              <Button onPress={show}>{words.impersonations.audit.showNewer}</Button>
            </>
          )}
        </div>
        {session.me.role === 'lead' && rows.length > 0 && (
          <Button kind="primary" disabled={wanted.length === 0} onPress={() => setAsked(true)}>
            {wanted.length === 0 ? alarms.acknowledge : counted(labels.acknowledge, wanted.length)}
          </Button>
        )}
      </div>
      {watch.problem !== undefined && (
        <ProblemMessage error={watch.problem} again={() => watch.load()} />
      )}
      {watch.state === 'loading' && <Skeleton label={labels.loading} lines={6} />}
      {shown.current && (
        <section>
          <h2>{labels.urgent}</h2>
          {urgent.length === 0 ? <p class="empty">{labels.none}</p> : listed(urgent, true)}
        </section>
      )}
      {children}
      {notable.length > 0 && (
        <section>
          <h2>{labels.notable}</h2>
          <p class="note">{labels.notableAbout}</p>
          {listed(notable, false)}
        </section>
      )}
      {Math.max(watch.urgent.length, watch.notable.length) >= MAX_ALARMS && (
        <p class="note">{text(labels.many, { count: MAX_ALARMS })}</p>
      )}
      <p>
        <Link to="/audit?alarm=any">{labels.past}</Link>
      </p>
      {isAsked && (
        <NoteDialog
          title={alarms.acknowledge}
          about={alarms.acknowledgeAbout}
          subject={wanted.map(actingOf)}
          isNeeded={false}
          onConfirm={confirm}
          onClose={() => setAsked(false)}
        />
      )}
    </Page>
  )
}

function changed(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}
