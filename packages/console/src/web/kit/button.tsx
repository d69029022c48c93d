import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export interface ButtonProps {
  /** One primary button a page. @defaultValue 'plain' */
  kind?: 'danger' | 'plain' | 'primary' | 'quiet'
  /** While its promise is open, the button is busy, and pressing it does nothing. */
  onPress: () => unknown
  disabled?: boolean
  /** Whether Enter in a field of its form presses it. */
  isDefault?: true
  /** For screen readers, where the text does not say what it is about: *End acting as Alice Ng*. */
  label?: string
  children: ComponentChildren
}

export function Button({
  kind = 'plain',
  isDefault,
  onPress,
  disabled,
  label,
  children,
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await onPress()
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={isDefault ? 'submit' : 'button'}
      class={`button ${kind}`}
      disabled={disabled}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      aria-label={label}
      onClick={press}
    >
      {children}
    </button>
  )
}
