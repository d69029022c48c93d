/** Ticket numbers up to this length stay on one line. */
const SHORT = 24

/** The number of a ticket. */
export function Ticket({ of, title }: { of: string | undefined; title?: string | undefined }) {
  if (of === undefined) return null
  return (
    <bdi class={of.length <= SHORT ? 'ticket whole' : 'ticket'} title={title}>
      {of}
    </bdi>
  )
}
