import { byId, copyOf, fill, slot } from '../dom.js'
import { setTime, shownDuration, shownLimit, shownTimes } from '../time.js'

/**
 * The entry that the support backend returns: console/audit/entry.ts.
 *
 * @typedef {object} Entry
 * @property {string} cursor
 * @property {string} event
 * @property {number} time
 * @property {string} [subject]
 * @property {{ sub: string }} [actor]
 * @property {{ sub?: string }} [mayAct]
 * @property {string} [scope]
 * @property {Record<string, unknown>} [context]
 * @property {number} [expiresAt]
 * @property {string} [id]
 * @property {{ by?: { sub: string }, cause: string, reason?: string }} [end]
 * @property {{ error: string, reason: string }} [denial]
 * @property {{ method?: string, path?: string, status?: number, refused?: { description: string } }} [use]
 * @property {number} [count]
 * @property {number} [lastTime]
 */

/** The names of the events. The server wrote them into the filter. */
function namesOfEvents() {
  const options = [...byId('audit-event', HTMLSelectElement).options]
  return new Map(options.map(({ value, text }) => [value, text]))
}

/** @param {Entry} entry */
export function auditRow(entry) {
  const row = fill(copyOf('audit-row'), {
    event: namesOfEvents().get(entry.event) ?? entry.event,
    actor: who(entry),
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

/**
 * The actor of the entry. If the token is bound to another operator than the actor, or if there is
 * no actor, it shows the bound operator too.
 *
 * @param {Entry} entry
 */
function who({ actor, mayAct }) {
  const bound = mayAct?.sub
  if (bound === undefined || bound === actor?.sub) return actor?.sub ?? 'no operator named'
  return actor ? `${actor.sub}, with a token for ${bound}` : `unknown, with a token for ${bound}`
}

/** @param {Entry} entry */
function why(entry) {
  const { actor, denial, end, use, context = {} } = entry
  if (use) return useInWords(use)
  const { ticketId, reason } = context
  const said = [ticketId, reason].filter((text) => typeof text === 'string').join(': ')
  const refused = denial && `Refused: ${denial.reason || denial.error}`
  // The actor ended it, as usual: nothing more to say.
  const isUsual = end?.cause === 'requested' && end.by?.sub === actor?.sub && !end.reason
  const ended = end && !isUsual && endInWords(entry)
  return [said, refused, ended].filter(Boolean).join('. ')
}

/**
 * Says what was asked of an API, and what came of it.
 *
 * @param {NonNullable<Entry['use']>} use
 */
function useInWords({ method = 'A request', path = '', status, refused }) {
  const outcome = refused ? `refused: ${refused.description}` : (status ?? 'no answer')
  return `${method} ${path}: ${outcome}`
}

/**
 * Says who ended an impersonation, and why.
 *
 * @param {Entry} entry
 */
export function endInWords({ subject, end }) {
  const by = end?.by?.sub ?? 'The provider'
  const reason = end?.reason === undefined ? '' : ` Reason: ${end.reason}`
  switch (end?.cause) {
    case 'user':
      return `The customer, ${subject}, ended it.${reason}`
    case 'operator_signed_out':
      return `The sign-in of ${by} ended, and with it this.${reason}`
    case 'replay':
      return `Its subject token was presented once more, so the provider ended it.${reason}`
    default:
      return `${by} ended it.${reason}`
  }
}

/** @param {Entry} entry */
function howLong({ event, time, expiresAt, scope, count, lastTime }) {
  if (count !== undefined && lastTime !== undefined) return shownTimes(count, lastTime - time)
  if (event === 'impersonation.granted' && expiresAt !== undefined) {
    const rights = scope?.split(' ').includes('orders:write') ? ', with changes' : ', to look'
    return `${shownLimit(time, expiresAt)}${rights}`
  }
  if (event === 'impersonation.ended') {
    if (expiresAt === undefined) return 'before it was used'
    return `${shownDuration(expiresAt * 1000 - time)} before its time`
  }
  return ''
}

/**
 * Whether an entry matches the filter. The backend uses the same rules.
 *
 * @param {Entry} entry
 * @param {{ text: string, event: string, actor: string, subject: string }} filter
 */
export function matches({ event, subject = '', actor, mayAct, context = {} }, filter) {
  const searched = [subject, actor?.sub, mayAct?.sub, context.ticketId, context.reason].map(
    (text) => (typeof text === 'string' ? text.toLowerCase() : ''),
  )
  return (
    (filter.event === '' ? event !== 'impersonation.used' : filter.event === event) &&
    (filter.subject === '' || filter.subject === subject) &&
    (filter.actor === '' || [actor?.sub, mayAct?.sub].includes(filter.actor)) &&
    searched.some((text) => text.includes(filter.text.toLowerCase()))
  )
}
