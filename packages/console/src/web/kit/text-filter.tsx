import { useEffect, useRef, useState } from 'preact/hooks'
import { Field } from './field.tsx'

const TYPING_PAUSE_MS = 400

/**
 * A text of the filter. It counts when the typing pauses, at Enter, and at the key down, which leads to
 * what was found. The first change adds a page
 * to the history, and the next ones replace it while the input has the focus.
 */
export function TextFilter(props: {
  id: string
  label: string
  value: string
  placeholder?: string
  type?: 'search' | 'text'
  onChange: (value: string, how: { instead: boolean }) => void
}) {
  const { id, label, value, placeholder, type = 'text', onChange } = props
  const [typed, setTyped] = useState(value)
  const committed = useRef(value)
  const hasChanged = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>()

  useEffect(() => {
    if (value === committed.current) return
    committed.current = value
    setTyped(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const commit = (now: string) => {
    clearTimeout(timer.current)
    if (now.trim() === committed.current) return
    committed.current = now.trim()
    onChange(committed.current, { instead: hasChanged.current })
    hasChanged.current = true
  }
  return (
    <Field id={id} label={label}>
      {(input) => (
        <input
          {...input}
          type={type}
          value={typed}
          maxLength={100}
          placeholder={placeholder}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            const now = currentTarget.value
            setTyped(now)
            clearTimeout(timer.current)
            timer.current = setTimeout(() => commit(now), TYPING_PAUSE_MS)
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter' || key === 'ArrowDown') commit(currentTarget.value)
          }}
          onBlur={(event) => {
            commit(event.currentTarget.value)
            hasChanged.current = false
          }}
        />
      )}
    </Field>
  )
}
