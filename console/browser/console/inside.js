import { byId, copyOf, fill, slot } from '../dom.js'
import { shownDateTime } from '../time.js'
import { curl } from './curl.js'

/** The meaning of each claim: RFC 8693, RFC 9068, RFC 7519, and the claims of the hook. */
const MEANINGS = {
  sub: 'Whose orders these are: the customer. To the API it is as if they came themselves.',
  act: 'Who really acts: the operator. The provider alone writes this claim (RFC 8693 §4.1).',
  aud: 'The one API that takes this token.',
  exp: 'When it ends. There is no refresh token: nothing makes it longer.',
  iat: 'When it was issued.',
  iss: 'The provider that signed it.',
  status: 'Where an API looks whether it was ended, as one bit of a signed list.',
  jti: 'Its id. The prefix tells an impersonation even where no actor is named.',
  cnf: 'The key that this page keeps: without a proof of it, the token is worth nothing (RFC 9449).',
  client_id: 'The application in which the operator acts: this console.',
  scope: 'What it may be used for: what you asked for, and no more than was allowed.',
  impersonation_context:
    'Ticket, reason and operator, as the backend said them: a claim of the hook.',
}

const TITLES = [
  [
    '1. Ask the support backend',
    'May this operator act as this customer? The backend decides. With its own token, which no browser ever sees, it gets a subject token: opaque, for ten minutes, for this operator, API and scope, and good for one exchange.',
  ],
  [
    '2. Exchange the subject token',
    'At the provider (RFC 8693). The actor token says who acts. Sent again, the same request is refused, since the subject token is used, and it ends what you began here: it may be stolen. This page sends a proof of a key along, which it never gives away, and its token is bound to that key (RFC 9449). The command sends none, and gets a bearer token.',
  ],
  [
    '3. Ask the Orders API',
    'As the customer, with the operator named inside. This page sends a new proof with each request: in a shell its token is refused. The command takes the token that your own exchange, with the command above, was answered.',
  ],
]

const PLACE = 'the access token that the exchange answered in the shell'

/** The API refuses the token of this page without a proof, so this command does not contain it. */
const ORDERS = {
  url: new URL('/orders', location.origin).href,
  headers: { Authorization: `Bearer ${PLACE}` },
  answer: 'What you see under Orders.',
}

/** The view that explains the token and the requests. */
export class InsideView {
  #app
  #root = byId('view-inside')
  #reveal = byId('reveal', HTMLInputElement)

  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.#app = app
    this.#reveal.addEventListener('change', () => this.#showSteps())
  }

  show() {
    const { impersonation } = this.#app
    if (!impersonation) return this.#app.goInstead('customers')
    fill(this.#root, { name: impersonation.customer.name })
    const { claims } = impersonation
    const first = Object.keys(MEANINGS).filter((name) => name in claims)
    const names = [...new Set([...first, ...Object.keys(claims)])]
    byId('claims').replaceChildren(...names.map((name) => claimRow(name, claims[name])))
    this.#showSteps()
  }

  /** Tokens are hidden again when the operator leaves the view. */
  hide() {
    this.#reveal.checked = false
    byId('exchanges').replaceChildren()
    byId('claims').replaceChildren()
    fill(this.#root, { name: '' })
  }

  #showSteps() {
    const { impersonation } = this.#app
    if (!impersonation) return
    byId('revealed-note').hidden = !this.#reveal.checked
    const { secrets, steps } = impersonation
    const shown = this.#reveal.checked ? new Map() : secrets
    const articles = steps.map((step, index) => article(step, TITLES[index] ?? [], shown))
    articles.push(article(ORDERS, TITLES[2] ?? [], new Map([[PLACE, 'ACCESS_TOKEN']])))
    byId('exchanges').replaceChildren(...articles)
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function claimRow(name, value) {
  const isTime = (name === 'exp' || name === 'iat') && typeof value === 'number'
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return fill(copyOf('claim-row'), {
    claim: name,
    value: isTime ? `${text}, ${shownDateTime(value * 1000)}` : text,
    meaning: MEANINGS[/** @type {keyof typeof MEANINGS} */ (name)] ?? 'A claim of this deployment.',
  })
}

/**
 * @param {import('./impersonation.js').Step} step
 * @param {string[]} titles
 * @param {ReadonlyMap<string, string>} hidden
 */
function article(step, [title = '', about = ''], hidden) {
  const command = curl(step, hidden)
  const answer =
    typeof step.answer === 'string' ? step.answer : JSON.stringify(step.answer, null, 2)
  const element = fill(copyOf('exchange'), {
    title,
    about,
    command,
    answer: masked(answer, hidden),
  })
  slot(element, 'command').ariaLabel = `${title}: the command`
  slot(element, 'answer').ariaLabel = `${title}: the answer`
  const button = slot(element, 'copy')
  button.ariaLabel = `Copy the command: ${title}`
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(command)
      fill(element, { copied: 'Copied.' })
    } catch {
      getSelection()?.selectAllChildren(slot(element, 'command'))
      fill(element, {
        copied: 'The browser does not let this page copy: it is selected, press Ctrl-C.',
      })
    }
  })
  return element
}

/**
 * @param {string} text
 * @param {ReadonlyMap<string, string>} hidden
 */
function masked(text, hidden) {
  return [...hidden].reduce((rest, [value, name]) => rest.replaceAll(value, `$${name}`), text)
}
