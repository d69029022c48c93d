import type { RowAnswer } from '../answers.ts'
import type { At } from './at.ts'

/** Ticket numbers up to this length stay on one line. */
const MAX_LENGTH_ON_ONE_LINE = 24

/** The number of a ticket, with a link if the deployment knows the page of the ticket. */
export function Ticket(
  { of: { ticket, ticketUrl } }: { of: Pick<RowAnswer, 'ticket' | 'ticketUrl'> },
  { words }: At,
) {
  if (ticket === undefined) return null
  const name = ticket.length <= MAX_LENGTH_ON_ONE_LINE ? 'ticket whole' : 'ticket'
  if (ticketUrl === undefined) return <bdi class={name}>{ticket}</bdi>
  return (
    <a class={name} href={ticketUrl} target="_blank" rel="noopener noreferrer">
      <bdi>{ticket}</bdi>
      <span class="unseen"> {words.impersonations.running.newTab}</span>
    </a>
  )
}
