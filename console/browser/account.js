import { ApiProblem, call } from './api.js'
import { byId, copyOf, fill, slot, whileBusy } from './dom.js'
import { clearMessage, inWords, say } from './message.js'
import { OpenIdClient } from './oidc.js'
import { setTime, shownDuration, shownLimit, shownTimes } from './time.js'
import { keepFocus, showView } from './views.js'

/**
 * The answer of the server: console/account/answers.ts.
 *
 * @typedef {object} Entry
 * @property {number} time
 * @property {string} event
 * @property {{ id: string, name: string } | null} operator
 * @property {string | null} ticketId
 * @property {string | null} scope
 * @property {number | null} expiresAt
 * @property {{ time: number, by: string }} [end]
 * @property {number} [count]
 * @property {number} [lastTime]
 */

/**
 * @typedef {Omit<Entry, 'time' | 'event'> & { id: string, startedAt: number }} Running
 */

const HOME = '/account'
const client = new OpenIdClient('customer-account', '/account/callback')
const root = byId('view-account')
const entries = byId('entries')
const older = slot(root, 'older')

/** @type {string | undefined} */
let token
/** @type {string | null} */
let next = null

/**
 * @param {string} path
 * @param {import('./api.js').Call} how
 */
function ask(path, how) {
  return call(`/account/impersonations${path}`, { ...how, ...(token ? { token } : {}) })
}

/** @param {string | null} before */
async function load(before) {
  try {
    const query = before === null ? '' : `?${new URLSearchParams({ before })}`
    const [answer, { running }] = await Promise.all([
      ask(query, { has: 'entries' }),
      ask('/running', { has: 'running' }),
    ])
    next = answer.next
    byId('running').replaceChildren(...running.map(cardOf))
    slot(root, 'now').hidden = running.length === 0
    const rows = answer.entries.map(rowOf)
    if (before === null) entries.replaceChildren(...rows)
    else entries.append(...rows)
    showCount()
  } catch (error) {
    failed(error, () => load(before))
  }
}

/** @param {Running} running */
function cardOf(running) {
  const { id, ticketId, startedAt, expiresAt } = running
  const who = whoOf(running)
  const card = fill(copyOf('running-card'), {
    who,
    ticket: ticketId ?? 'none named',
    what: rightsOf(running),
  })
  setTime(slot(card, 'since'), startedAt * 1000)
  setTime(slot(card, 'until'), Number(expiresAt) * 1000)
  const button = slot(card, 'end')
  button.ariaLabel = `End it: ${who}, ticket ${ticketId ?? 'none named'}`
  button.addEventListener('click', () =>
    say(
      `End it now? ${who} can then no longer see or change anything as you. What was changed before stays as it is.`,
      { label: 'Yes, end it', run: () => end(id, who) },
      { label: 'No, let it go on', run: () => {} },
    ),
  )
  return card
}

/**
 * @param {string} id
 * @param {string} who
 */
async function end(id, who) {
  try {
    await ask('/end', { method: 'POST', body: { id } })
    await load(null)
    say(`You ended it. ${who} no longer acts as you: within seconds, nothing that they hold works.`)
  } catch (error) {
    failed(error, () => end(id, who))
  }
}

/** @param {Pick<Entry, 'operator'>} entry */
function whoOf({ operator }) {
  return operator ? `${operator.name} (support)` : 'A support operator'
}

/** @param {Entry} entry */
function rowOf(entry) {
  const row = fill(copyOf('entry'), {
    who: whoOf(entry),
    ticket: entry.ticketId ?? 'none named',
    what: entry.event === 'impersonation.granted' ? rightsOf(entry) : 'Nothing: it was refused',
    'how-long': howLong(entry),
  })
  setTime(slot(row, 'time'), entry.time)
  return row
}

/** @param {Pick<Entry, 'scope'>} entry */
function rightsOf({ scope }) {
  return scope?.split(' ').includes('orders:write')
    ? 'See and change your orders'
    : 'See your orders'
}

/** @param {Entry} entry */
function howLong({ event, time, expiresAt, end, count, lastTime }) {
  if (count !== undefined && lastTime !== undefined) return shownTimes(count, lastTime - time)
  if (event !== 'impersonation.granted') return ''
  const limit = expiresAt === null ? '' : shownLimit(time, expiresAt)
  if (!end) return limit
  const lasted = shownDuration(end.time - time)
  // Of the version before: the token stayed valid until the limit.
  if (end.by === 'their word') return `${lasted} by their word, ${limit}`
  return end.by === 'you' ? `${lasted}, ended by you` : lasted
}

function showCount() {
  const nobody = entries.childElementCount === 0
  slot(root, 'list').hidden = nobody
  older.hidden = next === null
  keepFocus()
  const none = next === null ? 'No operator has acted as you.' : 'Not recently. Show older entries.'
  fill(root, { count: nobody ? none : '' })
}

/**
 * @param {unknown} error
 * @param {() => void} again
 */
function failed(error, again) {
  if (error instanceof ApiProblem && error.status === 401) {
    say('Your sign-in is over.', { label: 'Sign in again', run: () => leave(() => client.begin()) })
  } else {
    say(inWords(error, 'The server'), { label: 'Try again', run: again })
  }
}

/** @param {() => Promise<void>} work */
async function leave(work) {
  try {
    await work()
  } catch (error) {
    failed(error, () => leave(work))
  }
}

/**
 * @param {HTMLElement} button
 * @param {() => Promise<void>} work
 */
function onPress(button, work) {
  button.addEventListener('click', () => {
    clearMessage()
    void whileBusy(button, work)
  })
}

async function start() {
  onPress(slot(byId('view-signed-out'), 'sign-in'), () => leave(() => client.begin()))
  onPress(byId('sign-out'), () => leave(() => client.signOut(HOME)))
  onPress(slot(root, 'refresh'), () => load(null))
  onPress(older, () => load(next))
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  try {
    const signedIn = await client.finish(HOME)
    showView(signedIn ? 'account' : 'signed-out')
    if (!signedIn) return
    token = signedIn.accessToken
    byId('links').hidden = false
    byId('customer').textContent = signedIn.subject
    await load(null)
  } catch (error) {
    showView('signed-out')
    say(inWords(error, 'The provider'))
  }
}

void start()
