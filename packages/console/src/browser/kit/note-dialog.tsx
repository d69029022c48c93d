import { useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Button, Field } from './kit.tsx'
import { words } from './text.tsx'

const { web: labels } = words

/** The API takes no longer note. */
const MAX_NOTE_LENGTH = 500

/** Asks for a note, and then does what the title says. */
export function NoteDialog(props: {
  title: string
  about: string
  /** What it is about: *Olivia as Alice*. */
  subject: string | readonly string[]
  isNeeded: boolean
  /** The text of the button that does it. @defaultValue the title */
  confirm?: string
  onConfirm: (note: string) => Promise<void>
  onClose: () => void
}) {
  const { title, about, subject, isNeeded, onConfirm, onClose } = props
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = async () => {
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
      close={words.web.cancel}
      onClose={onClose}
      actions={
        <Button kind="primary" onPress={submit}>
          {props.confirm ?? title}
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
