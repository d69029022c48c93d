import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useNote } from './note-field.tsx'
import { words } from './text.tsx'

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
  const { title, about, subject, isNeeded, most, onConfirm, onClose } = props
  const { field, take } = useNote({
    id: 'note',
    label: isNeeded ? words.web.note : words.web.noteOptional,
    ...{ isNeeded, ...(most !== undefined && { most }) },
  })
  const submit = async () => {
    const note = take()
    if (note === undefined) return
    await onConfirm(note)
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
      {field}
    </Dialog>
  )
}
