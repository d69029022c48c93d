import { isAlarmOpen, outcomeOf } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import type { RowAnswer } from '../../../../web/answers.ts'
import { Button } from '../../../../web/kit/button.tsx'
import { actingOf } from '../../../../web/kit/in-words.tsx'
import { say } from '../../../../web/kit/message.tsx'
import { nameOf } from '../../../../web/kit/names.ts'
import { NoteDialog } from '../../../../web/kit/note-dialog.tsx'
import { words } from '../../../../web/kit/text.tsx'
import { acknowledge } from '../../../../web/session/acknowledge.ts'
import { inWords } from '../../../../web/session/problem.ts'
import { ApiProblem, type Session } from '../../../../web/session/session.ts'
import { PauseButton } from '../running/pauses.tsx'
import { ProveDialog } from './prove-dialog.tsx'

const { impersonation: labels } = words.impersonations.audit

type AskedAction = 'acknowledge' | 'hold' | 'release'

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
  const [asked, setAsked] = useState<AskedAction>()
  const [isProving, setProving] = useState(false)
  const outcome = outcomeOf(row, Date.now() + clockOffset)
  const mayEnd = me.role === 'lead' || (me.role === 'operator' && row.operator?.id === me.id)
  const perform = async (act: () => Promise<unknown>, done: string) => {
    try {
      await act()
      say('done', done)
    } catch (error) {
      sayFailed(error, () => perform(act, done))
    }
    session.changed(row.id)
    await onDone()
  }
  const post = (path: string, body: object, done: string) =>
    perform(() => session.ask(path, { method: 'POST', body }), done)
  const dialogs = {
    acknowledge: {
      title: words.alarms.acknowledge,
      about: words.alarms.acknowledgeAbout,
      done: words.alarms.wasAcknowledged,
    },
    hold: { title: labels.putOnHold, about: labels.holdAbout, done: labels.wasHeld },
    release: { title: labels.release, about: labels.releaseAbout, done: labels.wasReleased },
  }
  return (
    <div class="actions">
      {mayEnd && (outcome === 'running' || outcome === 'waiting') && (
        <Button
          kind="danger"
          onPress={() => post(`/running/${encodeURIComponent(row.id)}/end`, {}, labels.wasEnded)}
        >
          {labels.end}
        </Button>
      )}
      {me.role === 'lead' && row.operator?.id !== me.id && isAlarmOpen(row) && (
        <Button kind="primary" onPress={() => setAsked('acknowledge')}>
          {words.alarms.acknowledge}
        </Button>
      )}
      {me.role !== 'operator' && (
        <Button onPress={() => setAsked(row.hold?.isHeld ? 'release' : 'hold')}>
          {row.hold?.isHeld ? labels.release : labels.putOnHold}
        </Button>
      )}
      {me.role === 'lead' && row.operator && row.operator.id !== me.id && (
        <PauseButton session={session} id={row.operator.id} name={nameOf(row.operator)} />
      )}
      {me.role !== 'operator' && (
        <Button onPress={() => setProving(true)}>{words.impersonations.audit.prove.title}</Button>
      )}
      {isProving && (
        <ProveDialog
          session={session}
          id={row.id}
          subject={actingOf(row)}
          onClose={() => setProving(false)}
        />
      )}
      {asked && (
        <NoteDialog
          {...dialogs[asked]}
          subject={actingOf(row)}
          isNeeded={asked === 'hold'}
          onClose={() => setAsked(undefined)}
          onConfirm={(note) =>
            asked === 'acknowledge'
              ? perform(() => acknowledge(session, row, note), dialogs.acknowledge.done)
              : post(
                  `/audit/${encodeURIComponent(row.id)}/${asked}`,
                  note === '' ? {} : { note },
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
  if (status === 404) say('refused', labels.wasOver)
  else if (status === 409) say('refused', labels.wasDone)
  else say('trouble', inWords(error), { label: words.web.tryAgain, run: again })
}
