import { useState } from 'preact/hooks'
import { Dialog } from '../kit/dialog.tsx'
import { Button, Field } from '../kit/kit.tsx'
import { words } from '../kit/text.tsx'

const { impersonation: labels } = words.audit

/** The API takes no longer note. */
const MAX_NOTE_LENGTH = 500

/** Asks for a note, and then does what the title says. */
export function NoteDialog(props: {
  title: string
  about: string
  /** What it is about: *Olivia as Alice*. */
  subject: string | readonly string[]
  isNeeded: boolean
  onConfirm: (note: string) => Promise<void>
  onClose: () => void
}) {
  const { title, about, subject, isNeeded, onConfirm, onClose } = props
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  const confirm = async () => {
    if (isNeeded && note.trim() === '') {
      setProblem(labels.noteNeeded)
      document.getElementById('note')?.focus()
      return
    }
    await onConfirm(note.trim())
    onClose()
  }
  return (
    <Dialog
      title={title}
      close={words.frame.cancel}
      onClose={onClose}
      actions={
        <Button kind="primary" onPress={confirm}>
          {title}
        </Button>
      }
    >
      {[subject].flat().map((each) => (
        <p key={each}>
          <bdi>{each}</bdi>
        </p>
      ))}
      <p>{about}</p>
      <Field id="note" label={isNeeded ? labels.note : labels.noteOptional} problem={problem}>
        {(input) => (
          <textarea
            {...input}
            rows={3}
            maxLength={MAX_NOTE_LENGTH}
            value={note}
            onInput={({ currentTarget }) => {
              setNote(currentTarget.value)
              setProblem(undefined)
            }}
          />
        )}
      </Field>
    </Dialog>
  )
}
