import { isPlain, MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import type { AccountImpersonation } from '../../api/account/answers.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Button, Field } from '../kit/kit.tsx'
import { say } from '../kit/message.tsx'
import { oneLine } from '../kit/one-line.ts'
import { text, words } from '../kit/text.tsx'
import { useDraft } from '../session/drafts.ts'
import { inWords } from '../session/problem.ts'
import { nameOf } from './card-words.ts'
import type { AccountSession } from './session.ts'

const SENTENCES = {
  paused: {
    ended: words.account.objectDonePaused,
    notEnded: words.account.objectDonePausedNotEnded,
  },
  noted: { ended: words.account.objectDone, notEnded: words.account.objectDoneNotEnded },
}

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
    const said = oneLine(note)
    if (!isPlain(said)) return setProblem(words.web.textWrong)
    try {
      const { isPaused, isEnded, offersAsk } = await session.object(of.id, said)
      forget()
      onClose()
      const askMe = { label: account.objectAsk, run: askEachTime }
      const told = SENTENCES[isPaused ? 'paused' : 'noted'][isEnded ? 'ended' : 'notEnded']
      const sentence = text(told, { who: nameOf(of) })
      say(isEnded ? 'done' : 'trouble', sentence, ...(offersAsk ? [askMe] : []))
    } catch (error) {
      setProblem(inWords(error))
      return
    }
    await onDone()
  }
  const askEachTime = async () => {
    try {
      await session.choose('ask')
      say('done', words.permits.account.saved.ask)
    } catch (error) {
      say('trouble', inWords(error), { label: words.web.tryAgain, run: askEachTime })
    }
    await onDone()
  }
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
