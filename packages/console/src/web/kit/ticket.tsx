import type { At } from './at.ts'

/** Ticket numbers up to this length stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 24

/** The number of a ticket, with a link if the deployment knows the page of the ticket. */
export function Ticket(
  props: { of: string | undefined; url?: string | undefined; title?: string | undefined },
  { words }: At,
) {
  const { of, url, title } = props
  if (of === undefined) return null
  const name = of.length <= MAX_LENGTH_ON_ONE_LINE ? 'ticket whole' : 'ticket'
  if (url === undefined) {
    return (
      <bdi class={name} title={title}>
        {of}
      </bdi>
    )
  }
  return (
    <a class={name} href={url} target="_blank" rel="noopener noreferrer" title={title}>
      <bdi>{of}</bdi>
      <span class="unseen"> {words.impersonations.running.newTab}</span>
    </a>
  )
}
