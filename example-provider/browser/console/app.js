import { ApiProblem } from '../api.js'
import { byId } from '../dom.js'
import { clearMessage, inWords, mayPass, say } from '../message.js'
import { shownDuration } from '../time.js'
import { keepFocus } from '../views.js'
import { ActView } from './act.js'
import { AuditView } from './audit.js'
import { hideBanner, onEndPressed, showBanner } from './banner.js'
import { CustomersView } from './customers.js'
import { impersonate } from './impersonation.js'
import { InsideView } from './inside.js'
import { Navigation } from './navigation.js'
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
  #starting = new AbortController()
  /** Tabs tell each other: each has a token of its own in its memory. */
  #tabs = new BroadcastChannel('support console')
  #views
  #navigation

  /**
   * @param {import('../oidc.js').OpenIdClient} client
   * @param {import('./operator.js').Operator} operator
   * @param {(draft: import('./reason.js').Draft | undefined, again: boolean) => void} signInAgain
   *   leaves the page; `again`: even if the provider knows them still
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
    this.#navigation = new Navigation(this.#views)
    onEndPressed(() => this.end('operator'))
    window.addEventListener('pagehide', () => this.#leave())
    // Out of the browser's cache, a page would come back without what it has forgotten.
    window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
    this.#tabs.addEventListener('message', () => this.#signedOutElsewhere())
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
      this.#navigation.begin()
    }
  }

  /** @param {string} view */
  go(view) {
    this.#navigation.go(view)
  }

  /** @param {string} view */
  goInstead(view) {
    this.#navigation.goInstead(view)
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
    this.cancelStart()
    const { signal } = this.#starting
    let impersonation
    try {
      impersonation = await impersonate(this.#client, this.operator, customer, why, signal)
    } catch (error) {
      if (!signal.aborted) this.#didNotBegin(error, customer)
      return
    }
    if (signal.aborted) {
      this.#tellEnded(impersonation.claims.jti)
      impersonation.forget()
      return
    }
    this.impersonation = impersonation
    this.#views.reason.reset()
    showBanner(impersonation, () => this.end('time'))
    this.#setActing(true)
    this.go('act')
  }

  /** What is being begun, nobody wants any more. */
  cancelStart() {
    this.#starting.abort()
    this.#starting = new AbortController()
  }

  /**
   * @param {unknown} error
   * @param {import('./impersonation.js').Customer} customer
   */
  #didNotBegin(error, customer) {
    const what = `Acting as ${customer.name} did not begin. The server`
    // The provider may ask for more than the backend: above all, for a sign-in of late.
    if (error instanceof ApiProblem && error.message.startsWith('actor token')) {
      const text = `${inWords(error, what)} Sign in once more; what you typed is kept.`
      say(text, { label: 'Sign in again', run: () => this.#leaveToSignIn(true) })
    } else {
      this.failed(error, what, () => this.#views.reason.submit())
    }
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
    const { customer, startedAt, claims, isChanging } = ended
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
    if (this.#navigation.current !== this.#views.audit) this.goInstead('customers')
    keepFocus()
    const unknown = isChanging ? ' What was being saved may have been saved.' : ''
    say(`You no longer act as ${customer.name}. ${why} The token is forgotten.${unknown}`)
  }

  async signOut() {
    this.end('operator')
    this.cancelStart()
    this.#tabs.postMessage('signed out')
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
      run: () => this.#leaveToSignIn(false),
    })
  }

  /** @param {boolean} again */
  #leaveToSignIn(again) {
    const { draft } = this.#views.reason
    this.end('operator')
    this.#signInAgain(draft, again)
  }

  #signedOutElsewhere() {
    this.end('operator')
    this.cancelStart()
    this.failed(new SignedOut('in another tab'), '', () => {})
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
}
