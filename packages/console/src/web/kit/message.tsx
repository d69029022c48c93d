import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { words } from './text.tsx'

/** Done; refused, and trying again does not help; trouble, that may pass. */
export type Tone = 'done' | 'refused' | 'trouble'

export interface Action {
  readonly label: string
  readonly run: () => unknown
}

interface Message {
  readonly tone: Tone
  readonly text: string
  readonly actions: readonly Action[]
}

/** How long it stands that something was done, in milliseconds. */
const DONE_SHOWN_MS = 60_000

let current: Message | undefined
const listeners = new Set<() => void>()

function change(message: Message | undefined): void {
  current = message
  for (const listener of listeners) listener()
}

/** Shows a message above the page, instead of the one before. Screen readers announce it. */
export function say(tone: Tone, text: string, ...actions: readonly Action[]): void {
  change({ tone, text, actions })
}

/** Whether this is what stands above the page. */
export function isShown(text: string): boolean {
  return current?.text === text
}

export function clearMessage(): void {
  if (current) change(undefined)
}

/** The place of messages: once in the frame. */
export function Messages() {
  const [, redraw] = useState({})
  useEffect(() => {
    const listener = () => redraw({})
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [])
  useEffect(() => {
    if (current?.tone !== 'done') return
    const timer = setTimeout(clearMessage, DONE_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [current])
  return (
    <div role="alert" class="messages">
      {current && (
        <div class={`message ${current.tone}`}>
          <p>{current.text}</p>
          {current.actions.map(({ label, run }) => (
            <Button
              key={label}
              onPress={() => {
                clearMessage()
                return run()
              }}
            >
              {label}
            </Button>
          ))}
          <button
            type="button"
            class="dismiss"
            aria-label={words.web.dismiss}
            onClick={clearMessage}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </button>
        </div>
      )}
    </div>
  )
}
