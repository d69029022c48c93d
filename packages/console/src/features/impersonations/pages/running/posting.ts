import type { HandOver } from '../../../../web/answers.ts'
import { HOME_PATH } from '../../../../web/kit/router.tsx'
import { Unreachable } from '../../../../web/session/session.ts'

/** How long the page with the form may take to load, in milliseconds. */
const PAGE_TIMEOUT_MS = 10_000
/** How often the tab is looked at, in milliseconds: no event of it reaches this page. */
const LOOK_INTERVAL_MS = 50

/**
 * Posts the subject token to the application, in a tab of this origin. The address in the form is the
 * server's, and the policy of that page allows no other.
 *
 * @returns `false` where the tab was closed before
 * @throws {Unreachable}
 */
export async function postHandOver(
  tab: Window,
  { application, subjectToken }: HandOver,
): Promise<boolean> {
  const page = `${HOME_PATH}/hand-over/${encodeURIComponent(application.clientId)}`
  await assertAnswered(page)
  tab.location.replace(page)
  const until = performance.now() + PAGE_TIMEOUT_MS
  while (!tab.closed && performance.now() < until) {
    const field = fieldIn(tab)
    if (field) {
      submit(field, subjectToken)
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_INTERVAL_MS))
  }
  return false
}

/** In place of the page, the tab would show an error of the browser, which no script can close. */
async function assertAnswered(page: string): Promise<void> {
  const answer = await fetch(page, { credentials: 'omit' }).catch((cause: unknown) => {
    throw new Unreachable(cause)
  })
  if (!answer.ok) throw new Unreachable(`${answer.status} from ${page}`)
}

/** The field of the loaded page. An error page of the browser is of another origin. */
function fieldIn(tab: Window): HTMLInputElement | undefined {
  try {
    const { document } = tab
    if (document.readyState !== 'complete') return undefined
    return document.querySelector<HTMLInputElement>('input[name=impersonation]') ?? undefined
  } catch {
    return undefined
  }
}

function submit(field: HTMLInputElement, subjectToken: string): void {
  field.value = subjectToken
  field.form?.submit()
  // What is sent is fixed: a page that a browser keeps for *back* does not have it.
  field.value = ''
}
