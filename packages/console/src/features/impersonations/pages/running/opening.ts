import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import type { HandOver } from '../../../../web/answers.ts'
import type { Session } from '../../../../web/session/session.ts'
import { postHandOver } from './posting.ts'

/** There is no tab in which the application could open. */
export class NoTab extends Error {
  /** `blocked`: the browser opened none, and nothing was asked for. `closed`: it was closed again. */
  readonly why: 'blocked' | 'closed'

  constructor(why: 'blocked' | 'closed') {
    super(`the tab was ${why}`)
    this.name = 'NoTab'
    this.why = why
  }
}

/**
 * Opens the application in a tab of its own, as a customer. The tab is opened first: where the
 * browser refuses, there is no subject token that would lie around.
 *
 * @param title of the tab, until the application is there
 * @param ask what asks for the hand-over
 * @throws {NoTab | ApiProblem | Unreachable}
 */
export async function openApplication(
  session: Session,
  title: string,
  ask: () => Promise<HandOver>,
  signal?: AbortSignal,
): Promise<HandOver> {
  // With `noopener`, the browser does not tell whether it opened the tab.
  const tab = open('about:blank', '_blank')
  if (!tab) throw new NoTab('blocked')
  // A sign-in by redirect leaves this page: the tab would stay empty for ever.
  const close = () => tab.close()
  addEventListener('pagehide', close)
  try {
    tab.document.title = title
    const handOver = await ask()
    signal?.throwIfAborted()
    const { url, subjectToken, expiresIn } = handOver
    // The subject token is worth nothing a minute later.
    if (tab.closed) throw new NoTab('closed')
    tab.opener = null
    if (handOver.handOver === 'form') {
      if (!(await postHandOver(tab, handOver))) throw new NoTab('closed')
      return handOver
    }
    // The application compares with the clock of this machine.
    const link = impersonationUrl(url, {
      subjectToken,
      actor: session.me.id,
      expiresAtMs: Date.now() + expiresIn * 1000,
    })
    tab.location.replace(link)
    return handOver
  } catch (error) {
    tab.close()
    throw error
  } finally {
    removeEventListener('pagehide', close)
  }
}
