import { isPlain, MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { Dialog } from '../../../web/kit/dialog.tsx'
import { Field } from '../../../web/kit/field.tsx'
import { say } from '../../../web/kit/message.tsx'
import { oneLine } from '../../../web/kit/one-line.ts'
import { text, words } from '../../../web/kit/text.tsx'
import type { ObjectionAnswer, ObjectionBody } from '../../../web/pause-answers.ts'
import type { CustomerSession } from '../../../web/session/customer-session.ts'
import { useDraft } from '../../../web/session/drafts.ts'
import { inWords } from '../../../web/session/problem.ts'
import type { AccountImpersonation } from '../server/answers.ts'
import { operatorNameOf } from './card-words.ts'

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
  session: CustomerSession
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
      const { isPaused, isEnded, offersAsk } = await session.post<ObjectionAnswer>(
        '/objection',
        (said === '' ? { id: of.id } : { id: of.id, note: said }) satisfies ObjectionBody,
        of.id,
      )
      forget()
      onClose()
      const askMe = { label: account.objectAsk, run: askEachTime }
      const told = SENTENCES[isPaused ? 'paused' : 'noted'][isEnded ? 'ended' : 'notEnded']
      const sentence = text(told, { who: operatorNameOf(of) })
      say(isEnded ? 'done' : 'trouble', sentence, ...(offersAsk ? [askMe] : []))
    } catch (error) {
      setProblem(inWords(error))
      return
    }
    await onDone()
  }
  const askEachTime = async () => {
    try {
      await session.post('/permits/standing', { choice: 'ask' })
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
