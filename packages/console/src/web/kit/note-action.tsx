import type { At } from './at.ts'
import { Button, Disclosure, Form, formId, NoteField } from './form.tsx'

/** A button that asks once more, with a note. If the action is refused, its form is open. */
export function NoteAction(
  props: {
    action: string
    label: string
    /** The words of the note, and of the button that sends the form. @defaultValue those of all notes, and `label` */
    note?: string
    send?: string
    /** For screen readers, if the label does not say what it is about. */
    name?: string
    kind?: 'danger' | 'plain' | 'primary'
    about: string
    isNeeded?: boolean
    /** Hidden fields. */
    fields?: Readonly<Record<string, string>>
  },
  { refused }: At,
) {
  const { action, label, note, send = label, name, kind, about, isNeeded, fields = {} } = props
  const id = formId(action, fields)
  return (
    <Disclosure
      id={`${id}-open`}
      label={label}
      about={name}
      kind={kind}
      open={refused?.form === id}
    >
      <Form action={action} class="card form" fields={fields}>
        {(field) => (
          <>
            <p>{about}</p>
            <NoteField of={field('note')} label={note} required={isNeeded} />
            <div class="actions">
              <Button kind={kind ?? 'primary'} data-key="Control+Enter">
                {send}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Disclosure>
  )
}
