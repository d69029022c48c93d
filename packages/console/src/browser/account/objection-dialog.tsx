import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import type { AccountImpersonation } from '../../api/account/answers.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Button, Field } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { oneLine } from '../kit/one-line.ts'
import { text, words } from '../kit/text.tsx'
import { useDraft } from '../session/drafts.ts'
import { inWords } from '../session/problem.ts'
import type { AccountSession } from './session.ts'

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
      await session.object(of.id, oneLine(note))
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
      close={words.web.cancel}
      actions={
        <Button kind="primary" onPress={send}>
          {account.objectSend}
        </Button>
      }
    >
      <p>
        {account.objectAbout} {isRunning && account.objectEnds}
      </p>
      <Field
        id="note"
        label={account.note}
        help={text(account.noteHelp, { most: MAX_NOTE_LENGTH })}
        problem={problem}
      >
        {(input) => (
          <textarea
            {...input}
            maxLength={MAX_NOTE_LENGTH}
            value={note}
            onInput={({ currentTarget }) => change({ note: currentTarget.value })}
          />
        )}
      </Field>
    </Dialog>
  )
}
