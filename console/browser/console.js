import { ApiProblem } from './api.js'
import { App } from './console/app.js'
import { Operator, SignedOut } from './console/operator.js'
import { byId, slot, whileBusy } from './dom.js'
import { inWords, say } from './message.js'
import { OpenIdClient } from './oidc.js'
import { showView } from './views.js'

const HOME = '/console'
/** The storage key of the form that the operator typed before a sign-in. It contains no token. */
const DRAFT = 'console draft'

const client = new OpenIdClient('support-console', '/console/callback')

const signIn = () => leave(() => client.begin())
const signInAgain = () => leave(() => client.begin({ again: true }))

/** @param {() => Promise<void>} work */
async function leave(work) {
  try {
    await work()
  } catch (error) {
    say(inWords(error, 'The provider'), { label: 'Try again', run: () => leave(work) })
  }
}

/** @param {string} viewName @param {string} slotName @param {() => Promise<void>} work */
function onPress(viewName, slotName, work) {
  const button = slot(byId(`view-${viewName}`), slotName)
  button.addEventListener('click', () => whileBusy(button, work))
}

/**
 * Returns what this person typed before signing in again. Deletes the draft of another person.
 *
 * @param {string} subject
 * @returns {import('./console/reason.js').Draft | undefined}
 */
function takeDraft(subject) {
  const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null')
  sessionStorage.removeItem(DRAFT)
  return kept?.subject === subject ? kept.draft : undefined
}

/**
 * @param {import('./oidc.js').SignedIn} signedIn
 * @param {import('./console/reason.js').Draft | undefined} draft
 */
async function enter({ accessToken, subject }, draft) {
  const operator = new Operator(accessToken)
  try {
    const me = await operator.ask('/support/me', { has: 'name' })
    operator.name = me.name
    operator.id = me.id
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) {
      slot(byId('view-turned-away'), 'subject').textContent = subject
      showView('turned-away')
      return
    }
    showView('signed-out')
    if (error instanceof SignedOut) say('The sign-in is over already. Sign in once more.')
    else {
      say(inWords(error, 'The support backend'), {
        label: 'Try again',
        run: () => enter({ accessToken, subject }, draft),
      })
    }
    return
  }
  const app = new App(client, operator, (typed, again) => {
    if (typed) sessionStorage.setItem(DRAFT, JSON.stringify({ subject, draft: typed }))
    void leave(() => client.begin({ again }))
  })
  app.begin(draft)
}

async function start() {
  onPress('signed-out', 'sign-in', signIn)
  onPress('turned-away', 'sign-in-again', signInAgain)
  onPress('turned-away', 'leave', () => leave(() => client.signOut(HOME)))
  try {
    const signedIn = await client.finish(HOME)
    if (signedIn) return await enter(signedIn, takeDraft(signedIn.subject))
    showView('signed-out')
  } catch (error) {
    showView('signed-out')
    say(inWords(error, 'The provider'))
  }
}

void start()
