import type { ComponentChildren } from 'preact'
import type { At } from './at.ts'
import { Button, Disclosure, Form, formId, NoteField } from './form.tsx'

/** A button that asks once more, with a note. If the action is refused, its form is open. */
export function NoteAction(
  props: {
    action: string
    /** The words of the button, and of the one that sends the form. */
    label: string
    /** For screen readers, if the label does not say what it is about. */
    name?: string
    kind?: 'danger' | 'plain' | 'primary'
    about?: string
    isNeeded?: boolean
    /** Hidden fields. */
    fields?: Readonly<Record<string, string>>
    /** Further fields. */
    children?: ComponentChildren
  },
  { refused }: At,
) {
  const { action, label, name, kind, about, isNeeded = false, fields = {}, children } = props
  const id = formId(action, fields)
  return (
    <Disclosure
      id={`${id}-open`}
      label={label}
      about={name}
      kind={kind}
      open={refused?.form === id}
    >
      <Form action={action} id={id} class="card form" fields={fields}>
        {(field) => (
          <>
            {about && <p>{about}</p>}
            {children}
            <NoteField of={field('note')} isNeeded={isNeeded} />
            <div class="actions">
              <Button kind={kind ?? 'primary'} data-key="Control+Enter">
                {label}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Disclosure>
  )
}
