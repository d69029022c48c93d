import { isPlain, MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { oneLine } from './one-line.ts'
import { words } from './text.tsx'

const { web: labels } = words

/** Asks for a note, and then does what the title says. */
export function NoteDialog(props: {
  title: string
  about: string
  /** What it is about: *Olivia as Alice*. */
  subject: string | readonly string[]
  isNeeded: boolean
  /** How long the note may be, in characters. @defaultValue that of every note */
  most?: number
  /** The text of the button that does it. @defaultValue the title */
  confirm?: string
  onConfirm: (note: string) => Promise<void>
  onClose: () => void
  /** What else is asked. */
  children?: ComponentChildren
}) {
  const { title, about, subject, isNeeded, most = MAX_NOTE_LENGTH, onConfirm, onClose } = props
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = async () => {
    const said = oneLine(note)
    const wrong =
      isNeeded && said === '' ? labels.noteNeeded : isPlain(said) ? undefined : labels.textWrong
    if (wrong) {
      setProblem(wrong)
      document.getElementById('note')?.focus()
      return
    }
    await onConfirm(said)
    onClose()
  }
  return (
    <Dialog
      title={title}
      close={words.web.cancel}
      onClose={onClose}
      actions={
        <Button kind="primary" isDefault onPress={submit}>
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
      {props.children}
      <Field id="note" label={isNeeded ? labels.note : labels.noteOptional} problem={problem}>
        {(input) => (
          <textarea
            {...input}
            rows={3}
            required={isNeeded}
            maxLength={most}
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
