import { SLOT } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'
import type { RowAnswer } from '../answers.ts'
import type { At } from './at.ts'

/** A sentence with elements in its slots: `<Text of={…} name={<b>…</b>} />`. */
export function Text({ of, ...slots }: { of: string } & Record<string, ComponentChildren>) {
  const parts = of.split(SLOT)
  return (
    <>{parts.map((part, index) => (index % 2 ? <bdi key={index}>{slots[part]}</bdi> : part))}</>
  )
}

/** The text of a person or a program, as it is. Nothing for `undefined`. */
export function Said({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return (
    <q class="said">
      <bdi>{of}</bdi>
    </q>
  )
}

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
