import { useLayoutEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { words } from './text.tsx'

export type Keys = '/' | '?' | 'a' | 'Control+Enter' | 'Escape' | 'r'

export interface Shortcut {
  readonly keys: Keys
  /** What it does, for the list of shortcuts. */
  readonly label: string
  readonly run: () => unknown
}

/** The one that was registered last is the one that counts: a page goes before the frame. */
const registered: { current: Shortcut }[] = []

/**
 * Registers a shortcut for as long as the component is shown.
 *
 * @param how.otherwise only where no other component registers these keys: for the frame
 * @param how.isOff where the person has no such shortcut
 */
export function useShortcut(
  keys: Keys,
  label: string,
  run: () => unknown,
  { otherwise = false, isOff = false } = {},
): void {
  const [holder] = useState(() => ({ current: { keys, label, run } }))
  holder.current = { keys, label, run }
  // Before the browser paints: a key that is pressed at the first sight of a page counts.
  useLayoutEffect(() => {
    if (isOff) return
    if (otherwise) registered.unshift(holder)
    else registered.push(holder)
    return () => {
      registered.splice(registered.indexOf(holder), 1)
    }
  }, [holder, otherwise, isOff])
}

/** The shortcuts that work on this page. */
function shortcuts(): Shortcut[] {
  const byKeys = new Map(registered.map(({ current }) => [current.keys, current]))
  return [...byKeys.values()]
}

/** These work while the person types, too. */
const WHILE_TYPING: readonly Keys[] = ['Control+Enter', 'Escape']

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  // An empty search has the focus where a page begins with it.
  if (target instanceof HTMLInputElement && target.type === 'search' && target.value === '') {
    return false
  }
  return target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
}

function keysOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (key === 'Enter' && (ctrlKey || metaKey)) return 'Control+Enter'
  return ctrlKey || metaKey || altKey ? '' : key
}

/** Listens to the keyboard, and lists the shortcuts: once in the frame. */
export function Shortcuts() {
  const [isListed, setListed] = useState(false)
  useShortcut('?', words.web.shortcutList, () => setListed(true))
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) {
        return
      }
      const keys = keysOf(event)
      const shortcut = shortcuts().find((shortcut) => shortcut.keys === keys)
      if (!shortcut || (isTyping(event) && !WHILE_TYPING.includes(shortcut.keys))) return
      event.preventDefault()
      shortcut.run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  if (!isListed) return null
  return (
    <Dialog title={words.web.shortcuts} onClose={() => setListed(false)}>
      <dl class="shortcuts">
        {shortcuts().map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              <kbd>{words.web.keys[keys]}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
