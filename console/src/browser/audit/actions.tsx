import { useState } from 'preact/hooks'
import type { RowAnswer } from '../../api/answers.ts'
import { isAlarmOpen, outcomeOf } from '../../audit/row.ts'
import { Button } from '../kit.tsx'
import { say } from '../message.tsx'
import { auditPath } from '../paths.ts'
import { inWords } from '../problem.ts'
import { ApiProblem, type Session } from '../session.ts'
import { words } from '../text.tsx'
import { copyLink } from './copy-link.ts'
import { actingOf } from './in-words.tsx'
import { NoteDialog } from './note-dialog.tsx'

const { impersonation: said } = words.audit

type Asked = 'acknowledge' | 'hold' | 'release'

/** What a person can do with an impersonation. The server decides again what the role allows. */
export function Actions({
  session,
  row,
  onDone,
}: {
  session: Session
  row: RowAnswer
  onDone: () => unknown
}) {
  const { me, clockOffset } = session
  const [asked, setAsked] = useState<Asked>()
  const outcome = outcomeOf(row, Date.now() + clockOffset)
  const mayEnd = me.role === 'lead' || (me.role === 'operator' && row.operator?.id === me.id)
  const post = async (path: string, body: object, done: string) => {
    try {
      await session.ask(path, { method: 'POST', body })
      say('done', done)
    } catch (error) {
      sayFailed(error, () => post(path, body, done))
    }
    session.changed(row.id)
    await onDone()
  }
  const dialogs = {
    acknowledge: {
      title: said.acknowledge,
      about: said.acknowledgeAbout,
      done: said.wasAcknowledged,
    },
    hold: { title: said.putOnHold, about: said.holdAbout, done: said.wasHeld },
    release: { title: said.release, about: said.releaseAbout, done: said.wasReleased },
  }
  return (
    <div class="actions">
      {mayEnd && (outcome === 'running' || outcome === 'waiting') && (
        <Button
          kind="danger"
          onPress={() => post(`/running/${encodeURIComponent(row.id)}/end`, {}, said.wasEnded)}
        >
          {said.end}
        </Button>
      )}
      {me.role === 'lead' && isAlarmOpen(row) && (
        <Button kind="primary" onPress={() => setAsked('acknowledge')}>
          {said.acknowledge}
        </Button>
      )}
      {me.role !== 'operator' && (
        <Button onPress={() => setAsked(row.hold?.isHeld ? 'release' : 'hold')}>
          {row.hold?.isHeld ? said.release : said.putOnHold}
        </Button>
      )}
      <Button onPress={() => copyLink(auditPath(row.id))}>{said.copyLink}</Button>
      {asked && (
        <NoteDialog
          {...dialogs[asked]}
          subject={actingOf(row)}
          isNeeded={asked === 'hold'}
          onClose={() => setAsked(undefined)}
          onConfirm={(note) =>
            post(
              `/audit/${encodeURIComponent(row.id)}/${asked}`,
              {
                ...(note === '' ? {} : { note }),
                // What came after the page was read stays open.
                ...(asked === 'acknowledge' ? { alarms: row.alarm?.count } : {}),
              },
              dialogs[asked].done,
            )
          }
        />
      )}
    </div>
  )
}

function sayFailed(error: unknown, again: () => unknown): void {
  const status = error instanceof ApiProblem ? error.status : 0
  if (status === 404) say('refused', said.wasOver)
  else if (status === 409) say('refused', said.wasDone)
  else say('trouble', inWords(error), { label: words.frame.tryAgain, run: again })
}
