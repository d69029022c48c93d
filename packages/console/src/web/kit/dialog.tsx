import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { words } from './text.tsx'

/**
 * A modal dialog. Esc and its button close it, and the focus goes back to where it was.
 *
 * @param props.actions buttons before the one that closes it
 * @param props.close the text of the button that closes it: *Close* without it
 */
export function Dialog(props: {
  title: string
  onClose: () => void
  actions?: ComponentChildren
  close?: string
  children?: ComponentChildren
}) {
  const { title, onClose, actions, close = words.web.close, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      {/* Enter in a field presses the default button of the actions. */}
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <h2 id={id}>{title}</h2>
        <div class="dialog-body">{children}</div>
        <div class="actions">
          {actions}
          <Button kind="quiet" onPress={() => dialog.current?.close()}>
            {close}
          </Button>
        </div>
      </form>
    </dialog>
  )
}
