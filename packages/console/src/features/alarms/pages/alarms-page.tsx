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

/** The API answers with no more. */
const MAX_ALARMS = 100
const { alarms } = words
const { page: labels } = alarms

/** The open alarms. Those that come wait for a click, and those that are acknowledged stay in place. */
export function AlarmsPage({ session, children }: PageProps & { children: ComponentChildren }) {
  const watch = AlarmWatch.of(session)
  const [, redraw] = useState({})
  const [asked, setAsked] = useState<RowAnswer>()
  const shown = useRef<readonly RowAnswer[]>()
  if (watch.state === 'ready') shown.current ??= watch.rows
  useEffect(() => watch.listen(() => redraw({})), [watch])
  const rows = shown.current ?? []
  const known = new Set(rows.map(alarmKey))
  // One that has a newer alarm is open, too.
  const open = new Set(watch.rows.map(({ id }) => id))
  const newer = watch.rows.filter((row) => !known.has(alarmKey(row))).length
  const shownOpen = rows.filter(({ id }) => open.has(id)).length
  const show = () => {
    shown.current = watch.rows
    redraw({})
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.alarms a')?.focus())
  }
  const confirm = async (row: RowAnswer, note: string) => {
    try {
      await acknowledge(session, row, note)
      say('done', alarms.wasAcknowledged)
    } catch (error) {
      say('trouble', inWords(error), { label: words.web.tryAgain, run: () => confirm(row, note) })
    }
    await watch.load()
  }
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
      </div>
      {watch.problem !== undefined && (
        <ProblemMessage error={watch.problem} again={() => watch.load()} />
      )}
      {watch.state === 'loading' && <Skeleton label={labels.loading} lines={6} />}
      {shown.current && rows.length === 0 && <p class="empty">{labels.none}</p>}
      {rows.length > 0 && (
        <ul class="alarms" aria-label={labels.title}>
          {rows.map((row) => (
            <AlarmCard
              key={alarmKey(row)}
              row={row}
              isOpen={open.has(row.id)}
              onAcknowledge={
                session.me.role === 'lead' && row.operator?.id !== session.me.id
                  ? () => setAsked(row)
                  : undefined
              }
            />
          ))}
        </ul>
      )}
      {children}
      {watch.rows.length >= MAX_ALARMS && (
        <p class="note">{text(labels.many, { count: MAX_ALARMS })}</p>
      )}
      <p>
        <Link to="/audit?alarm=any">{labels.past}</Link>
      </p>
      {asked && (
        <NoteDialog
          title={alarms.acknowledge}
          about={alarms.acknowledgeAbout}
          subject={actingOf(asked)}
          isNeeded={false}
          onConfirm={(note) => confirm(asked, note)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Page>
  )
}
