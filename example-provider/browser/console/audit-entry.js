import { byId, copyOf, fill, slot } from '../dom.js'
import { setTime, shownDuration, shownLimit } from '../time.js'

/**
 * What the support backend answers: example-provider/audit/entry.ts.
 *
 * @typedef {object} Entry
 * @property {string} cursor
 * @property {string} event
 * @property {number} time
 * @property {string} [subject]
 * @property {{ sub: string }} [actor]
 * @property {string} [scope]
 * @property {Record<string, unknown>} [context]
 * @property {number} [expiresAt]
 * @property {number} [grantedAt]
 * @property {{ error: string, reason: string }} [denial]
 */

/** The name of each event: the server wrote it into the filter. */
function namesOfEvents() {
  const options = [...byId('audit-event', HTMLSelectElement).options]
  return new Map(options.map(({ value, text }) => [value, text]))
}

/** @param {Entry} entry */
export function auditRow(entry) {
  const row = fill(copyOf('audit-row'), {
    event: namesOfEvents().get(entry.event) ?? entry.event,
    actor: entry.actor?.sub ?? 'nobody named',
    subject: entry.subject ?? 'unknown',
    why: why(entry),
    'how-long': howLong(entry),
    json: JSON.stringify(entry, null, 2),
  })
  setTime(slot(row, 'time'), entry.time)
  slot(row, 'event').dataset.event = entry.event
  slot(row, 'json').ariaLabel = 'The whole entry'
  return row
}

/** @param {Entry} entry */
function why({ denial, context = {} }) {
  const { ticketId, reason } = context
  const said = [ticketId, reason].filter((text) => typeof text === 'string').join(': ')
  return [said, denial && `Refused: ${denial.reason || denial.error}`].filter(Boolean).join('. ')
}

/** @param {Entry} entry */
function howLong({ event, time, expiresAt, grantedAt, scope }) {
  if (event === 'impersonation.granted' && expiresAt !== undefined) {
    const rights = scope?.split(' ').includes('orders:write') ? ', with changes' : ', to look'
    return `${shownLimit(time, expiresAt)}${rights}`
  }
  if (event === 'support.ended' && grantedAt !== undefined) return shownDuration(time - grantedAt)
  return ''
}

/**
 * Whether an entry is among what is looked for, as the backend would say.
 *
 * @param {Entry} entry
 * @param {{ text: string, event: string, actor: string, subject: string }} filter
 */
export function matches({ event, subject = '', actor, context = {} }, filter) {
  const searched = [subject, actor?.sub, context.ticketId, context.reason].map((text) =>
    typeof text === 'string' ? text.toLowerCase() : '',
  )
  return (
    (filter.event === '' || filter.event === event) &&
    (filter.subject === '' || filter.subject === subject) &&
    (filter.actor === '' || filter.actor === actor?.sub) &&
    searched.some((text) => text.includes(filter.text.toLowerCase()))
  )
}
