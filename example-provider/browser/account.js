import { ApiProblem, call } from './api.js'
import { byId, copyOf, fill, slot, whileBusy } from './dom.js'
import { clearMessage, inWords, say } from './message.js'
import { OpenIdClient } from './oidc.js'
import { setTime, shownDuration, shownLimit, shownTimes } from './time.js'
import { keepFocus, showView } from './views.js'

/**
 * The answer of the server: example-provider/account/answers.ts.
 *
 * @typedef {object} Entry
 * @property {number} time
 * @property {string} event
 * @property {{ id: string, name: string } | null} operator
 * @property {string | null} ticketId
 * @property {string | null} scope
 * @property {number | null} expiresAt
 * @property {number} [endedAt]
 * @property {number} [count]
 * @property {number} [lastTime]
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

/** @param {string | null} before */
async function load(before) {
  try {
    const query = before === null ? '' : `?${new URLSearchParams({ before })}`
    const answer = await call(
      `/account/impersonations${query}`,
      token === undefined ? {} : { token },
    )
    next = answer.next
    const rows = answer.entries.map(rowOf)
    if (before === null) entries.replaceChildren(...rows)
    else entries.append(...rows)
    showCount()
  } catch (error) {
    failed(error, () => load(before))
  }
}

/** @param {Entry} entry */
function rowOf(entry) {
  const row = fill(copyOf('entry'), {
    who: entry.operator ? `${entry.operator.name} (support)` : 'A support operator',
    ticket: entry.ticketId ?? 'none named',
    what: whatOf(entry),
    'how-long': howLong(entry),
  })
  setTime(slot(row, 'time'), entry.time)
  return row
}

/** @param {Entry} entry */
function whatOf({ event, scope }) {
  if (event !== 'impersonation.granted') return 'Nothing: it was refused'
  return scope?.split(' ').includes('orders:write')
    ? 'See and change your orders'
    : 'See your orders'
}

/** @param {Entry} entry */
function howLong({ event, time, expiresAt, endedAt, count, lastTime }) {
  if (count !== undefined && lastTime !== undefined) return shownTimes(count, lastTime - time)
  if (event !== 'impersonation.granted') return ''
  const limit = expiresAt === null ? '' : shownLimit(time, expiresAt)
  // `endedAt` is only the operator's own statement. The token stayed valid until the limit.
  return endedAt === undefined ? limit : `${shownDuration(endedAt - time)} by their word, ${limit}`
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
