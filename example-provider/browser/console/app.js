import { byId, slot } from '../dom.js'
import { clearMessage, inWords, mayPass, say } from '../message.js'
import { shownDuration } from '../time.js'
import { keepFocus, showView } from '../views.js'
import { ActView } from './act.js'
import { AuditView } from './audit.js'
import { hideBanner, onEndPressed, showBanner } from './banner.js'
import { CustomersView } from './customers.js'
import { impersonate } from './impersonation.js'
import { InsideView } from './inside.js'
import { SignedOut } from './operator.js'
import { ReasonView } from './reason.js'

/** @typedef {'operator' | 'time' | 'refused'} Ending */

/** The console of an operator who is signed in: which view is shown, and as whom they act. */
export class App {
  operator
  /** @type {import('./impersonation.js').Impersonation | undefined} */
  impersonation
  #client
  #signInAgain
  #views
  /** @type {{ show(): void, hide(): void } | undefined} */
  #current

  /**
   * @param {import('../oidc.js').OpenIdClient} client
   * @param {import('./operator.js').Operator} operator
   * @param {(draft: import('./reason.js').Draft | undefined) => void} signInAgain leaves the page
   */
  constructor(client, operator, signInAgain) {
    this.#client = client
    this.operator = operator
    this.#signInAgain = signInAgain
    this.#views = {
      customers: new CustomersView(this),
      reason: new ReasonView(this),
      act: new ActView(this),
      inside: new InsideView(this),
      audit: new AuditView(this),
    }
    onEndPressed(() => this.end('operator'))
    window.addEventListener('hashchange', () => this.#route())
    window.addEventListener('pagehide', () => this.#leave())
    // Out of the browser's cache, a page would come back without what it has forgotten.
    window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
    byId('links').hidden = false
    byId('operator').textContent = operator.name
    byId('sign-out').addEventListener('click', () => this.signOut())
  }

  /** @param {import('./reason.js').Draft | undefined} draft */
  begin(draft) {
    if (draft) {
      this.#views.reason.restore(draft)
      this.go('reason')
    } else {
      this.#route()
    }
  }

  /** @param {string} view */
  go(view) {
    if (location.hash !== `#${view}`) history.pushState(null, '', `#${view}`)
    this.#route()
  }

  /** @param {import('./impersonation.js').Customer} customer */
  choose(customer) {
    clearMessage()
    this.#views.reason.choose(customer)
    this.go('reason')
  }

  /**
   * @param {import('./impersonation.js').Customer} customer
   * @param {import('./impersonation.js').Why} why
   */
  async start(customer, why) {
    if (this.impersonation) return this.go('act')
    try {
      this.impersonation = await impersonate(this.#client, this.operator, customer, why)
    } catch (error) {
      return this.failed(error, `Acting as ${customer.name} did not begin. The server`, () =>
        this.#views.reason.submit(),
      )
    }
    this.#views.reason.reset()
    showBanner(this.impersonation, () => this.end('time'))
    this.#setActing(true)
    this.go('act')
  }

  /**
   * Forgets the token, at once, and everything that was got with it.
   *
   * @param {Ending} how
   * @param {string} [words] of the API that refused
   */
  end(how, words = '') {
    const ended = this.impersonation
    if (!ended) return
    this.impersonation = undefined
    const { customer, startedAt, claims } = ended
    ended.forget()
    hideBanner()
    this.#setActing(false)
    this.#views.act.forget()
    if (how === 'operator') this.#tellEnded(claims.jti)
    const after = shownDuration(Date.now() - startedAt)
    const why = {
      operator: `You ended it after ${after}.`,
      time: 'The time is over.',
      refused: words,
    }[how]
    if (this.#current !== this.#views.audit) this.go('customers')
    keepFocus()
    say(`You no longer act as ${customer.name}. ${why} The token is forgotten.`)
  }

  async signOut() {
    this.end('operator')
    try {
      await this.#client.signOut('/console')
    } catch (error) {
      this.failed(error, 'The provider', () => this.signOut())
    }
  }

  /**
   * Says what went wrong, with a way on.
   *
   * @param {unknown} error
   * @param {string} what that was asked for
   * @param {() => void} again
   */
  failed(error, what, again) {
    if (!(error instanceof SignedOut)) {
      say(inWords(error, what), ...(mayPass(error) ? [{ label: 'Try again', run: again }] : []))
      return
    }
    const acting = this.impersonation?.customer.name
    const ends = acting === undefined ? '' : ` That ends acting as ${acting}.`
    say(`Your sign-in is over. Sign in again to go on; what you typed is kept.${ends}`, {
      label: 'Sign in again',
      run: () => {
        const { draft } = this.#views.reason
        this.end('operator')
        this.#signInAgain(draft)
      },
    })
  }

  /** @param {boolean} isActing */
  #setActing(isActing) {
    for (const link of document.querySelectorAll('li.acting')) {
      if (link instanceof HTMLElement) link.hidden = !isActing
    }
  }

  /** For the audit only: the token is forgotten whether it arrives or not. @param {unknown} jti */
  #tellEnded(jti) {
    this.operator
      .ask('/support/impersonations/end', { method: 'POST', body: { jti }, keepalive: true })
      .catch(() => {})
  }

  /** Whoever closes the page has ended it. */
  #leave() {
    const { impersonation } = this
    if (!impersonation) return
    this.#tellEnded(impersonation.claims.jti)
    impersonation.forget()
  }

  #route() {
    const views = new Map(Object.entries(this.#views))
    const name = location.hash.slice(1)
    // The link that skips to the content is no view.
    if (name === 'content' && this.#current) return
    const view = views.get(name)
    if (!view) {
      history.replaceState(null, '', '#customers')
      this.#route()
      return
    }
    this.#current?.hide()
    this.#current = view
    clearMessage()
    showView(name)
    for (const link of slot(document, 'links').querySelectorAll('a')) {
      link.ariaCurrent = link.hash === `#${name}` ? 'page' : null
    }
    view.show()
  }
}
