import { ApiProblem, Unreachable } from './api.js'
import { byId, copyOf, fill, slot } from './dom.js'
import { SignInFailed } from './oidc.js'
import { keepFocus } from './views.js'

/**
 * A button below a message.
 *
 * @typedef {{ label: string, run: () => void }} Action
 */

/** Removes the message. */
export function clearMessage() {
  byId('message').replaceChildren()
}

/**
 * Shows a message above the page with buttons. Screen readers announce it.
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
 * Whether the same request may succeed later. A refused request does not.
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
 * Describes an error for people.
 *
 * @param {unknown} error
 * @param {string} what the server that the request went to, as the start of a sentence
 */
export function inWords(error, what) {
  if (error instanceof ApiProblem) return `${what} said ${error.words}.`
  if (error instanceof Unreachable) return `${what} does not answer.`
  if (error instanceof SignInFailed) return error.message
  console.error(error)
  return 'Something went wrong in this page. Reload it to start again.'
}
