'use client'

import {
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useSyncExternalStore,
} from 'react'
import {
  type AcceptImpersonationOptions,
  acceptImpersonation,
  defineImpersonationBanner,
  type ImpersonationBannerElement,
  type ImpersonationBannerSettings,
  type ImpersonationError,
  type ImpersonationSession,
} from './index.ts'

/** The state of a page's impersonation. */
export type PageImpersonation = {
  /**
   * Ends the impersonation. If no operator acts, this does nothing.
   *
   * @throws ImpersonationError `unreachable`, as `end()` of the session
   */
  readonly end: () => Promise<void>
} & (
  | {
      /** `starting` until the state is known, and on a server; `none` for a customer in person. */
      readonly state: 'starting' | 'none'
      readonly session?: undefined
      readonly error?: undefined
    }
  | {
      readonly state: 'failed'
      readonly session?: undefined
      /** Its `message` is for the operator. `continueUrl` leads to the console, which goes on. */
      readonly error: Error & Partial<Pick<ImpersonationError, 'code' | 'continueUrl'>>
    }
  | {
      /** Once it is not `active`, the page no longer shows the customer. */
      readonly state: ImpersonationSession['state']
      readonly session: ImpersonationSession
      readonly error?: undefined
    }
)

const doNothing = async () => {}
const STARTING: PageImpersonation = { state: 'starting', end: doNothing }

let accepted: Promise<ImpersonationSession | undefined> | undefined
let current: PageImpersonation = STARTING
const listeners = new Set<() => void>()

/**
 * Accepts an impersonation for {@link useImpersonation}. Call it in a module that is loaded before
 * the first component, and before a router reads the address. On a server, it does nothing. It
 * loads the code of the banner, too. If that fails, it ends the impersonation.
 *
 * @see acceptImpersonation, which resolves the same session
 */
export function acceptOnLoad(options: AcceptImpersonationOptions): void {
  if (typeof location === 'undefined') return
  const answer = acceptImpersonation(options)
  if (answer === accepted) return
  accepted = answer
  // A late result of a link that was opened before is out of date.
  const show = (changed: PageImpersonation) => {
    if (answer === accepted) change(changed)
  }
  void answer
    .then((session) => showSession(session, show))
    .catch((thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      show({ state: 'failed', error, end: doNothing })
    })
}

async function showSession(
  session: ImpersonationSession | undefined,
  show: (changed: PageImpersonation) => void,
): Promise<void> {
  if (!session) return show({ state: 'none', end: doNothing })
  try {
    await defineImpersonationBanner()
  } catch (error) {
    // Without the banner, the operator does not see the user.
    await session.end()
    throw error
  }
  const showState = () => show({ state: session.state, session, end: () => session.end() })
  session.addEventListener('ended', showState)
  session.addEventListener('expired', showState)
  showState()
}

function change(changed: PageImpersonation): void {
  current = changed
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Returns the impersonation that {@link acceptOnLoad} accepts, in any component. Every component
 * gets the same object, until a change. A page from a server is `starting`, there and while it
 * hydrates.
 *
 * @throws TypeError in a browser if `acceptOnLoad` was not called
 */
export function useImpersonation(): PageImpersonation {
  if (!accepted && typeof location !== 'undefined') {
    throw new TypeError('useImpersonation needs acceptOnLoad(): call it in a module of the page')
  }
  return useSyncExternalStore(subscribe, getCurrent, getStarting)
}

const getCurrent = () => current
const getStarting = () => STARTING

/** The properties of the banner, except for its session, which is that of the page. */
export interface ImpersonationBannerProps
  extends Partial<Omit<ImpersonationBannerSettings, 'session'>> {
  /** The next step after the end, in place of the text `next`. */
  readonly over?: ReactNode
  /** Called with the error of `session.end()`. */
  readonly onEndFailed?: ((error: unknown) => void) | undefined
}

/**
 * Renders the banner of the page's impersonation. Without an impersonation, it renders nothing.
 */
export function ImpersonationBanner(props: ImpersonationBannerProps): ReactElement | null {
  const { userName, actorName, ticket, changes, texts, marksTitle, over, onEndFailed } = props
  const { session } = useImpersonation()
  const element = useRef<ImpersonationBannerElement>(null)

  // React sets properties of custom elements only since version 19.
  useEffect(() => {
    const settings = { session, userName, actorName, ticket, changes, texts, marksTitle }
    if (element.current) Object.assign(element.current, settings)
  }, [session, userName, actorName, ticket, changes, texts, marksTitle])

  useEffect(() => {
    const banner = element.current
    if (!banner || !session) return
    const notify = (event: Event) => onEndFailed?.((event as CustomEvent<unknown>).detail)
    banner.addEventListener('end-failed', notify)
    return () => banner.removeEventListener('end-failed', notify)
  }, [session, onEndFailed])

  if (!session) return null
  return createElement(
    'impersonation-banner',
    { ref: element },
    over === undefined ? null : createElement('div', { slot: 'over' }, over),
  )
}
