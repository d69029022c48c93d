import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Field } from './field.tsx'
import { words } from './text.tsx'

/** How long typing has to rest before it is asked who is meant, in milliseconds. */
const TYPING_PAUSE_MS = 200
const MAX_SUGGESTED = 8

export interface Suggested {
  readonly id: string
  readonly name: string
}

/** Finds people by what was typed. */
export type Suggest = (text: string, signal: AbortSignal) => Promise<readonly Suggested[]>

/** Whether each word of the text is in the name or the id. */
export function fitsPerson({ id, name }: Suggested, text: string): boolean {
  const all = `${name} ${id}`.toLocaleLowerCase()
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/**
 * A person, by name: the combobox of the ARIA patterns. What stands for the person is the id. An id can be
 * typed as well, where nothing finds it by name.
 */
export function PersonInput(props: {
  id: string
  label: string
  help?: ComponentChildren
  /** The id. */
  value: string
  /** Names that are known already, by id. */
  known?: ReadonlyMap<string, string>
  suggest: Suggest
  onChoose: (id: string) => void
  /** In a form, what is typed counts at once, and Enter sends the form. */
  isInForm?: true
}) {
  const { id, label, help, value, known, suggest, onChoose, isInForm } = props
  /** What is typed and stands for nobody yet. */
  const [typed, setTyped] = useState<string>()
  const [options, setOptions] = useState<readonly Suggested[]>([])
  const [active, setActive] = useState(-1)
  const names = useRef(new Map<string, string>())
  const asked = useRef(new AbortController())
  useEffect(() => () => asked.current.abort(), [])
  const isOpen = options.length > 0

  const close = () => {
    asked.current.abort()
    setOptions([])
    setActive(-1)
  }
  const find = async (text: string, pause: number): Promise<readonly Suggested[] | undefined> => {
    asked.current.abort()
    asked.current = new AbortController()
    const { signal } = asked.current
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (signal.aborted) return undefined
    const found = text === '' ? [] : await suggest(text, signal).catch(() => [])
    return signal.aborted ? undefined : found.slice(0, MAX_SUGGESTED)
  }
  const choose = ({ id, name }: Suggested) => {
    close()
    names.current.set(id, name)
    setTyped(undefined)
    if (id !== value) onChoose(id)
  }
  /** Who is meant by what was typed: at Enter the first who is found, and otherwise nobody else. */
  const settle = async (takesFirst: boolean) => {
    const text = typed?.trim()
    if (text === undefined) return close()
    const found = await find(text, 0)
    if (!found) return
    const exact = found.find(
      ({ id, name }) => id === text || name.toLocaleLowerCase() === text.toLocaleLowerCase(),
    )
    const only = takesFirst || (found.length === 1 && !isInForm) ? found[0] : undefined
    const meant = exact ?? only ?? (found.length === 0 ? { id: text, name: text } : undefined)
    if (meant) return choose(meant)
    close()
    if (!isInForm) setTyped(undefined)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = options[active]
    if (step && isOpen) {
      event.preventDefault()
      // Before the first and after the last is the text itself.
      const count = options.length + 1
      setActive(((active + 1 + step + count) % count) - 1)
    } else if (event.key === 'Enter' && option) {
      event.preventDefault()
      choose(option)
    } else if (event.key === 'Enter' && !isInForm) void settle(true)
    else if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      close()
    }
  }
  const listId = `${id}-list`
  return (
    <Field id={id} label={label} help={help}>
      {(input) => (
        <div class="combobox">
          <input
            {...input}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={active < 0 ? undefined : `${listId}-${active}`}
            autoComplete="off"
            spellcheck={false}
            dir="auto"
            maxLength={100}
            required={isInForm}
            value={typed ?? names.current.get(value) ?? known?.get(value) ?? value}
            onInput={async ({ currentTarget: { value: text } }) => {
              setTyped(text)
              setActive(-1)
              if (isInForm) onChoose(text.trim())
              const found = await find(text.trim(), TYPING_PAUSE_MS)
              if (found) setOptions(found)
            }}
            onKeyDown={press}
            onBlur={() => settle(false)}
          />
          {isOpen && (
            <div id={listId} class="options" role="listbox" aria-label={words.web.suggested}>
              {options.map((option, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the input
                <div
                  key={option.id}
                  id={`${listId}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  // The input keeps the focus.
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => choose(option)}
                >
                  <bdi>{option.name}</bdi> <bdi class="id">{option.id}</bdi>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </Field>
  )
}
