import type { ComponentChildren } from 'preact'

/** A longer text may break, in characters. */
const MAX_LENGTH = 18

/** A small word in a tone. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'alarm' | 'good' | 'plain' | 'warning'
  children: ComponentChildren
}) {
  const isLong = typeof children === 'string' && children.length > MAX_LENGTH
  return <span class={`badge ${tone}${isLong ? ' long' : ''}`}>{children}</span>
}
