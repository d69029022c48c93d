import { useState } from 'preact/hooks'
import type { AccountImpersonation } from '../../account/answers.ts'
import { Dialog } from '../dialog.tsx'
import { useDraft } from '../drafts.ts'
import { Button, Field } from '../kit.tsx'
import { say } from '../message.tsx'
import { inWords } from '../problem.ts'
import { words } from '../text.tsx'
import type { AccountSession } from './session.ts'

const LONGEST_NOTE = 500

/** *I did not ask for this*: an optional note, and what happens next. */
export function ObjectionDialog(props: {
  of: AccountImpersonation
  session: AccountSession
  onClose: () => void
  onDone: () => Promise<void>
}) {
  const { of, session, onClose, onDone } = props
  const { account } = words
  const [{ note }, change, forget] = useDraft(`objection ${of.id}`, { note: '' })
  const [problem, setProblem] = useState<string>()
  const isRunning = of.state === 'running'
  const send = async () => {
    try {
      await session.object(of.id, note.trim())
    } catch (error) {
      setProblem(inWords(error))
      return
    }
    forget()
    onClose()
    // The objection is stored by now: what follows does not take it back.
    const isOver = !isRunning || (await isEnded())
    if (isOver) say('done', account.objectDone)
    else say('trouble', account.objectDoneNotEnded)
    await onDone()
  }
  const isEnded = () =>
    session.end(of.id).then(
      () => true,
      () => false,
    )
  return (
    <Dialog
      title={account.objectTitle}
      onClose={onClose}
      close={words.frame.cancel}
      actions={
        <Button kind="primary" onPress={send}>
          {account.objectSend}
        </Button>
      }
    >
      <p>
        {account.objectAbout} {isRunning && account.objectEnds}
      </p>
      <Field id="note" label={account.note} help={account.noteHelp} problem={problem}>
        {(input) => (
          <textarea
            {...input}
            maxLength={LONGEST_NOTE}
            value={note}
            onInput={({ currentTarget }) => change({ note: currentTarget.value })}
          />
        )}
      </Field>
    </Dialog>
  )
}
