import { ApiProblem, Unreachable } from './api.js'
import { byId, copyOf, fill, slot } from './dom.js'
import { SignInFailed } from './oidc.js'
import { keepFocus } from './views.js'

/**
 * A way on.
 *
 * @typedef {{ label: string, run: () => void }} Action
 */

/** Takes the message away. */
export function clearMessage() {
  byId('message').replaceChildren()
}

/**
 * Says something above the page, aloud to screen readers, with ways on.
 *
 * @param {string} text
 * @param {...Action} actions
 */
export function say(text, ...actions) {
  const message = fill(copyOf('message-text'), { text })
  for (const { label, run } of actions) {
    const button = copyOf('message-action')
    button.textContent = label
    button.addEventListener('click', () => {
      clearMessage()
      keepFocus()
      run()
    })
    slot(message, 'actions').append(button)
  }
  byId('message').replaceChildren(message)
  message.scrollIntoView({ block: 'nearest' })
}

/**
 * Whether the same request may succeed later: not where it was understood, and refused.
 *
 * @param {unknown} error
 */
export function mayPass(error) {
  if (error instanceof ApiProblem) {
    const { status } = error
    return status < 400 || status === 429 || status >= 500
  }
  return error instanceof Unreachable
}

/**
 * What went wrong, for people.
 *
 * @param {unknown} error
 * @param {string} what that was asked for, as the begin of a sentence
 */
export function inWords(error, what) {
  if (error instanceof ApiProblem) return `${what} said ${error.words}.`
  if (error instanceof Unreachable) return `${what} does not answer.`
  if (error instanceof SignInFailed) return error.message
  console.error(error)
  return 'Something went wrong in this page. Reload it to start again.'
}
