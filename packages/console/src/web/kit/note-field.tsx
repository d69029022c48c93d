import { isPlain, MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { oneLine } from './one-line.ts'
import { words } from './text.tsx'

const { web: labels } = words

/** A field for a note: it is drawn by `field`, and `take` answers what stands in it. */
export function useNote(of: {
  /** Of the element. */
  id: string
  label: string
  help?: string
  isNeeded: boolean
  /** How long the note may be, in characters. @defaultValue that of every note */
  most?: number
}) {
  const { id, label, help, isNeeded, most = MAX_NOTE_LENGTH } = of
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  /** The note on one line; `undefined` where it is wrong, which the field says then. */
  const take = (): string | undefined => {
    const said = oneLine(note)
    const wrong =
      isNeeded && said === '' ? labels.noteNeeded : isPlain(said) ? undefined : labels.textWrong
    setProblem(wrong)
    if (wrong === undefined) return said
    document.getElementById(id)?.focus()
    return undefined
  }
  const field = (
    <Field id={id} label={label} help={help} problem={problem}>
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
  )
  return { field, take }
}
