import { ApiProblem } from '../api.js'
import { byId } from '../dom.js'
import { clearMessage, inWords, mayPass, say } from '../message.js'
import { shownDateTime, shownDuration } from '../time.js'
import { keepFocus } from '../views.js'
import { ActView } from './act.js'
import { AuditView } from './audit.js'
import { hideBanner, onEndPressed, showBanner } from './banner.js'
import { CustomersView } from './customers.js'
import { findEnd } from './ending.js'
import { impersonate } from './impersonation.js'
import { InsideView } from './inside.js'
import { Navigation } from './navigation.js'
import { openApplication } from './opening.js'
import { SignedOut } from './operator.js'
import { ReasonView } from './reason.js'

/** @typedef {'operator' | 'time' | 'refused'} Ending */

/** The console of a signed-in operator: the view that is shown, and the customer impersonated. */
export class App {
  operator
  /** @type {import('./impersonation.js').Impersonation | undefined} */
  impersonation
  #client
  #signInAgain
  #starting = new AbortController()
  /** Tells other tabs of a sign-out. Each tab has its own token in its memory. */
  #tabs = new BroadcastChannel('support console')
  #views
  #navigation

  /**
   * @param {import('../oidc.js').OpenIdClient} client
   * @param {import('./operator.js').Operator} operator
   * @param {(draft: import('./reason.js').Draft | undefined, again: boolean) => void} signInAgain
   *   leaves the page; `again`: even if the provider still has a session of the operator
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
    // A page from the browser's cache would come back without the data that it has forgotten.
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
      if (!signal.aborted) this.#didNotBegin(error, customer, () => this.#views.reason.submit())
      return
    }
    if (signal.aborted) {
      void impersonation.end()
      return
    }
    this.impersonation = impersonation
    this.#views.reason.reset()
    showBanner(impersonation, () => this.end('time'))
    this.#setActing(true)
    this.go('act')
  }

  /**
   * Acts in the customers' own application, in another tab.
   *
   * @param {import('./opening.js').CustomerApplication} application
   * @param {import('./impersonation.js').Customer} customer
   * @param {import('./impersonation.js').Why} why
   */
  async open(application, customer, why) {
    this.cancelStart()
    const { signal } = this.#starting
    try {
      const isOpen = await openApplication(application, this.operator, customer, why, signal)
      if (!isOpen) {
        return say(
          `The browser blocked the tab of ${application.name}. Allow it for this page, and try again.`,
        )
      }
      this.#views.reason.reset()
      this.go('customers')
      say(`You act as ${customer.name} in another tab, in ${application.name}. End it there.`)
    } catch (error) {
      if (signal.aborted) return
      this.#didNotBegin(error, customer, () => this.open(application, customer, why))
    }
  }

  /** Cancels a start that is not finished. */
  cancelStart() {
    this.#starting.abort()
    this.#starting = new AbortController()
  }

  /**
   * @param {unknown} error
   * @param {import('./impersonation.js').Customer} customer
   * @param {() => unknown} again
   */
  #didNotBegin(error, customer, again) {
    const what = `Acting as ${customer.name} did not begin. The server`
    // The provider may require more than the backend, above all a recent sign-in.
    if (error instanceof ApiProblem && error.message.startsWith('actor token')) {
      const text = `${inWords(error, what)} Sign in once more; what you typed is kept.`
      say(text, { label: 'Sign in again', run: () => this.#leaveToSignIn(true) })
    } else {
      this.failed(error, what, again)
    }
  }

  /**
   * Forgets the token at once, and all data that came with its use.
   *
   * @param {Ending} how
   * @param {string} [words] of the API that refused the token
   */
  end(how, words = '') {
    const ended = this.impersonation
    if (!ended) return
    this.impersonation = undefined
    const { customer, startedAt, isChanging } = ended
    if (how === 'operator') void this.#endAtProvider(ended)
    else ended.forget()
    hideBanner()
    this.#setActing(false)
    this.#views.act.forget()
    const after = shownDuration(Date.now() - startedAt)
    const why = {
      operator: `You ended it after ${after}.`,
      time: 'The time is over.',
      refused: words,
    }[how]
    if (this.#navigation.current !== this.#views.audit) this.goInstead('customers')
    keepFocus()
    const unknown = isChanging ? ' What was being saved may have been saved.' : ''
    const tell = (/** @type {string} */ reason) =>
      say(`You no longer act as ${customer.name}. ${reason} The token is forgotten.${unknown}`)
    tell(why)
    if (how !== 'refused') return
    // Without an answer, the words of the API remain.
    findEnd(this.operator, ended).then(
      (found) => found && !this.impersonation && tell(found),
      () => {},
    )
  }

  /**
   * The page has forgotten the token by then. What goes on is the attempt to make copies worthless.
   *
   * @param {import('./impersonation.js').Impersonation} ended
   */
  async #endAtProvider(ended) {
    const { name } = ended.customer
    let isLate = false
    await ended.end((error) => {
      isLate = true
      const until = shownDateTime(Date.now() + ended.left)
      say(
        `You no longer act as ${name} here. ${inWords(error, 'The provider')} Until it knows of the end, a copy of the token would work, until ${until} at the latest. This page goes on telling it: leave it open.`,
      )
    })
    if (isLate) say(`Acting as ${name} is over at the provider, too.`)
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
   * Shows the error, with a button to continue.
   *
   * @param {unknown} error
   * @param {string} what the server that the request went to
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

  /** Closing the page ends the impersonation. */
  #leave() {
    void this.impersonation?.end()
  }
}
