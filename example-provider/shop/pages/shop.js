// The page of the shop. A customer signs in and sees their orders. An operator whom the support
// console sends here sees the same page with the customer's token, and a banner above it.
import {
  acceptImpersonation,
  defineImpersonationBanner,
  ImpersonationError,
} from 'oidc-provider-impersonation-browser'
import { OrdersProblem, ordersApi } from './orders.js'
import { showOrders } from './orders-view.js'
import { SignInFailed, signIn } from './sign-in.js'
import { shareTyped } from './typed.js'
import { bannerTexts, errorTexts } from './words/kit.js'
import { words } from './words/words.js'

/** @typedef {import('./orders.js').Customer} Customer */

const CLIENT_ID = 'shop'
const {
  issuer = '',
  orders: ordersUrl = '',
  console: consoleUrl = '',
} = document.documentElement.dataset
const address = (/** @type {string} */ path) => new URL(path, location.origin).href

const customer = signIn({
  issuer,
  clientId: CLIENT_ID,
  redirectUri: address('/signed-in'),
  resource: ordersUrl,
  scope: 'orders:read orders:write',
})

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no element '${id}'`)
  return element
}

/** @param {'waiting' | 'welcome' | 'left' | 'refused' | 'over' | 'moved' | 'trouble' | 'account'} id */
function show(id) {
  for (const section of document.querySelectorAll('section')) section.hidden = section.id !== id
  const heading = byId(id).querySelector('h1')
  if (heading) heading.focus()
}

/** @param {string} text */
function say(text) {
  byId('message').textContent = text
}

/** Says what went wrong, in words for the person. @param {unknown} error */
function sayProblem(error) {
  const known = [OrdersProblem, SignInFailed, ImpersonationError].some(
    (kind) => error instanceof kind,
  )
  if (!known) console.error(error)
  say(known && error instanceof Error ? error.message : words.problems.unexpected)
}

/**
 * Shows the orders of the token's user.
 *
 * @param {Parameters<typeof ordersApi>[1]} send
 * @param {object} [how]
 * @param {boolean} [how.canChange] whether the token may write
 * @param {() => boolean} [how.isOver] whether the answers must not be shown any more
 * @param {(customer: Customer | undefined, actorName: string | undefined) => void} [how.opened] the orders are shown
 */
async function open(send, { canChange = true, isOver = () => false, opened = () => {} } = {}) {
  const api = ordersApi(ordersUrl, send)
  const failed = (/** @type {unknown} */ error) => {
    if (isOver()) return
    if (error instanceof OrdersProblem && error.isSignedOut) show('welcome')
    sayProblem(error)
  }
  byId('again').onclick = () => open(send, { canChange, isOver, opened })
  say('')
  show('waiting')
  try {
    const { orders, customer, actorName, email } = await api.list()
    if (isOver()) return
    showOrders(orders, {
      email,
      canChange,
      say,
      changeNote: (id, note) => api.changeNote(id, note),
      changeEmail: (address) => api.changeEmail(address),
      failed,
    })
    show('account')
    opened(customer, actorName)
  } catch (error) {
    if (!isOver()) show('trouble')
    failed(error)
  }
}

/**
 * Returns the reason of the end, with the person who ended it.
 *
 * @param {import('oidc-provider-impersonation-browser').ImpersonationSession} session
 */
function whyOver({ state, ending }) {
  const { over } = words
  if (state === 'expired') return over.expired
  if (ending?.cause === 'operator_signed_out') return over.signedOut
  if (ending?.cause === 'replay') return over.replay
  if (ending?.cause === 'policy') return over.policy
  return ending ? over[ending.by] : ''
}

/** An operator acts as a customer. */
async function openForOperator() {
  const session = await acceptImpersonation({
    issuer,
    clientId: CLIENT_ID,
    redirectUri: address('/acting'),
    resource: ordersUrl,
    scope: 'orders:read orders:write',
    // The listeners below take away what the page shows.
    cover: false,
    console: consoleUrl,
    texts: errorTexts,
    userName: () => byId('over-name').textContent ?? '',
  })
  if (!session) return false
  try {
    await defineImpersonationBanner()
  } catch (error) {
    // An operator does not act without a banner that says so.
    await session.end()
    throw error
  }
  const banner =
    /** @type {import('oidc-provider-impersonation-browser').ImpersonationBannerElement} */ (
      byId('banner')
    )
  banner.session = session
  banner.changes = session.scope.includes('orders:write')
  banner.texts = bannerTexts
  // Until the orders are there, which have the names.
  banner.actorName = words.someone.support
  banner.userName = words.someone.customer
  banner.hidden = false
  const isOver = () => session.state !== 'active'
  const typed = shareTyped(session, {
    movedOn: () => {
      if (!isOver()) return
      show('moved')
      say('')
    },
    returned: () => say(words.returned),
  })
  for (const over of /** @type {const} */ (['ended', 'expired'])) {
    session.addEventListener(over, () => {
      byId('kept').hidden = !typed.keep()
      byId('account').remove()
      // The page says it.
      banner.session = undefined
      show('over')
      say(whyOver(session))
    })
  }
  let isNamed = false
  await open((url, init) => session.fetch(url, init), {
    canChange: banner.changes,
    isOver,
    opened(customer, actorName) {
      const name = customer?.name ?? session.userId ?? ''
      isNamed = true
      banner.userName = name
      banner.actorName = actorName
      byId('over-name').textContent = name
      typed.ask()
    },
  })
  // Better an id than nothing.
  if (!isNamed) banner.userName = banner.actorName = undefined
  return true
}

/** A customer comes back from the sign-in. */
async function openForCustomer() {
  const signedIn = await customer.finish()
  if (!signedIn) return show('welcome')
  byId('name').textContent = signedIn.userId
  byId('person').hidden = false
  const send = (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${signedIn.accessToken}`)
    return fetch(url, { ...init, headers, credentials: 'omit' })
  }
  await open(send, {
    opened(customer) {
      byId('name').textContent = customer?.name ?? signedIn.userId
    },
  })
}

byId('sign-in').addEventListener('click', () => {
  say('')
  customer.begin().catch(() => say(words.problems.signIn))
})
byId('sign-out').addEventListener('click', () => {
  customer.signOut().catch(() => say(words.problems.signOut))
})

// A link that is opened in a page that is open already changes the fragment alone.
addEventListener('hashchange', () => {
  // A jump to an anchor ends nothing.
  if (location.hash.includes('impersonation=')) location.reload()
})

try {
  if (!(await openForOperator())) await openForCustomer()
} catch (error) {
  const continueUrl = error instanceof ImpersonationError && error.continueUrl
  if (continueUrl) /** @type {HTMLAnchorElement} */ (byId('continue')).href = continueUrl
  show(continueUrl ? 'left' : error instanceof ImpersonationError ? 'refused' : 'welcome')
  sayProblem(error)
}
