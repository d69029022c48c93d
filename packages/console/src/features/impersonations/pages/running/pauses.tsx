import { useState } from 'preact/hooks'
import { Button } from '../../../../web/kit/button.tsx'
import { Choice } from '../../../../web/kit/choice.tsx'
import { say } from '../../../../web/kit/message.tsx'
import { NoteDialog } from '../../../../web/kit/note-dialog.tsx'
import { pausePath } from '../../../../web/kit/paths.ts'
import { Link } from '../../../../web/kit/router.tsx'
import { text, words } from '../../../../web/kit/text.tsx'
import type { PauseAnswer, PauseBody } from '../../../../web/pause-answers.ts'
import { pausedInWords } from '../../../../web/session/paused.ts'
import { inWords } from '../../../../web/session/problem.ts'
import { ApiProblem, type Session } from '../../../../web/session/session.ts'

const HOUR_S = 3600

const { pause: labels } = words.impersonations.running

/** What keeps an operator from starting, and the way to its page. */
export function PauseLine({ pause }: { pause: PauseAnswer }) {
  return (
    <p>
      {pausedInWords(pause)} <Link to={pausePath(pause.id)}>{words.permits.pause.page}</Link>
    </p>
  )
}

/** Keeps an operator from starting. @param props.id the account id of the operator */
export function PauseButton(props: { session: Session; id: string; name: string }) {
  const { session, id, name } = props
  const [isAsked, setAsked] = useState(false)
  const [length, setLength] = useState<'hour' | 'open'>('hour')
  const slots = { operator: name }
  const pause = async (note: string) => {
    const body: PauseBody = {
      operator: id,
      ...(length === 'hour' && { for: HOUR_S }),
      ...(note !== '' && { note }),
    }
    try {
      const made = await session.ask<PauseAnswer>('/pauses', { method: 'POST', body })
      say('done', text(labels.done, slots))
      session.changed(made.id)
    } catch (error) {
      const isHeld = error instanceof ApiProblem && error.status === 409
      say(isHeld ? 'refused' : 'trouble', isHeld ? text(labels.already, slots) : inWords(error))
    }
  }
  return (
    <>
      <Button onPress={() => setAsked(true)}>{text(labels.button, slots)}</Button>
      {isAsked && (
        <NoteDialog
          title={text(labels.title, slots)}
          confirm={text(labels.button, slots)}
          subject={[]}
          about={text(labels.about, slots)}
          isNeeded={false}
          onConfirm={pause}
          onClose={() => setAsked(false)}
        >
          <Choice
            legend={labels.length}
            name="length"
            value={length}
            options={[
              { value: 'hour', label: labels.hour },
              { value: 'open', label: labels.open },
            ]}
            onChoose={(value) => setLength(value === 'open' ? 'open' : 'hour')}
          />
        </NoteDialog>
      )}
    </>
  )
}
