import { impersonationUrl } from 'oidc-provider-impersonation/browser'
import type { HandOver } from '../../api/answers.ts'
import type { Session } from '../session.ts'
import { serverTime } from '../running/clock.ts'

/** The browser opened no tab. Nothing was asked for. */
export class TabBlocked extends Error {
  constructor() {
    super('the browser opened no tab')
    this.name = 'TabBlocked'
  }
}

/**
 * Opens the application in a tab of its own, as a customer. The tab is opened first: where the
 * browser refuses, there is no subject token that would lie around.
 *
 * @param title of the tab, until the application is there
 * @param ask what asks for the hand-over
 * @throws {TabBlocked | ApiProblem | Unreachable}
 */
export async function openApplication(
  session: Session,
  title: string,
  ask: () => Promise<HandOver>,
): Promise<HandOver> {
  // With `noopener`, the browser does not tell whether it opened the tab.
  const tab = open('about:blank', '_blank')
  if (!tab) throw new TabBlocked()
  // A sign-in by redirect leaves this page: the tab would stay empty for ever.
  const close = () => tab.close()
  addEventListener('pagehide', close)
  try {
    tab.document.title = title
    const handOver = await ask()
    const { url, subjectToken, expiresIn } = handOver
    if (tab.closed) return handOver
    const link = impersonationUrl(url, {
      subjectToken,
      actor: session.me.id,
      expiresAt: serverTime(session) + expiresIn * 1000,
    })
    tab.opener = null
    tab.location.replace(link)
    return handOver
  } catch (error) {
    tab.close()
    throw error
  } finally {
    removeEventListener('pagehide', close)
  }
}
