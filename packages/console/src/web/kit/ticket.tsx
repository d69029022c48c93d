import { words } from './text.tsx'

/** Ticket numbers up to this length stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 24

/** The number of a ticket; where the deployment knows its page, a link to it in a tab of its own. */
export function Ticket(props: {
  of: string | undefined
  url?: string | undefined
  title?: string | undefined
}) {
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
