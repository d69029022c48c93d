import type { ComponentChildren } from 'preact'
import { ActionButton } from '../../../web/view/form.tsx'

/** Ends an impersonation. @param props.label for screen readers: *End acting as Alice Ng* */
export function EndButton(props: { id: string; label?: string; children: ComponentChildren }) {
  const { id, label, children } = props
  return (
    <ActionButton
      action={`/running/${encodeURIComponent(id)}/end`}
      kind="danger"
      {...(label !== undefined && { label })}
    >
      {children}
    </ActionButton>
  )
}
