import { impersonationUrl } from '/assets/impersonation.js'

/** Seconds until the link is worth nothing: enough for a redirect. */
const LINK_LIFETIME = 60

/**
 * The customers' own application.
 *
 * @typedef {{ url: string, clientId: string, name: string }} CustomerApplication
 */

/**
 * Asks the support backend for a subject token that is good for this operator in this application,
 * and opens the application with it. There it is exchanged.
 *
 * @param {CustomerApplication} application
 * @param {import('./operator.js').Operator} operator
 * @param {import('./impersonation.js').Customer} customer
 * @param {import('./impersonation.js').Why} why
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} `false` if the browser opened no tab
 */
export async function openApplication({ url, clientId }, operator, customer, why, signal) {
  const { subjectToken } = await operator.ask('/support/impersonations', {
    method: 'POST',
    body: { userId: customer.id, ...why, application: clientId, expiresIn: LINK_LIFETIME },
    has: 'subjectToken',
    signal,
  })
  const link = impersonationUrl(url, {
    subjectToken: String(subjectToken),
    actor: operator.id,
    expiresAt: Date.now() + LINK_LIFETIME * 1000,
  })
  // With `noopener` the browser does not tell whether it opened the tab.
  const tab = open('about:blank', '_blank')
  if (!tab) return false
  tab.opener = null
  tab.location.replace(link)
  return true
}
