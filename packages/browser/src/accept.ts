import {
  type AcceptImpersonationOptions,
  type CheckedOptions,
  checkOptions,
} from './accept-options.ts'
import { type Arrival, newHandOver, storeHandOver, takeArrival, takeHandOver } from './arrival.ts'
import { ImpersonationError, inWords } from './errors.ts'
import type { Link } from './link.ts'
import type { ImpersonationSession } from './session.ts'

/** The longest time for the provider to respond to a redirect, in milliseconds. */
const REDIRECT_MS = 30_000

let current: Promise<ImpersonationSession | undefined> | undefined

/**
 * Accepts an impersonation that the back office opened this page with, see `impersonationUrl`. It
 * takes the subject token out of the address at once, finds the operator by a redirect to the
 * provider, and exchanges the token on return. Call it before every other script that reads the
 * address, on each page that can be opened so, and on the page of `redirectUri`.
 *
 * A further call in the same page gets the same result, unless another link was opened.
 *
 * @returns `undefined` if no impersonation concerns this page. While the page leaves for the
 * provider, the promise stays pending.
 * @throws ImpersonationError with a message for the operator
 * @throws TypeError if an option is wrong
 */
export function acceptImpersonation(
  options: AcceptImpersonationOptions,
): Promise<ImpersonationSession | undefined> {
  // On a server, pages are rendered without an impersonation.
  if (typeof location === 'undefined') return Promise.resolve(undefined)
  const arrival = takeArrival(!current)
  if (!arrival && current) return current
  current = accept(arrival, options)
  return current
}

async function accept(
  arrival: Arrival | undefined,
  options: AcceptImpersonationOptions,
): Promise<ImpersonationSession | undefined> {
  // Most pages are opened by the customer in person, and nothing can go wrong for them here.
  if (!arrival) return undefined
  const checked = checkOptions(options)
  const { texts } = checked
  if (arrival.kind === 'left') {
    if (!checked.console || window.top !== window) return undefined
    return (await load(checked)).sayLeft(checked)
  }
  if (window.top !== window) throw new ImpersonationError('framed', { texts })
  if (arrival.kind === 'interrupted') throw new ImpersonationError('interrupted', { texts })
  if (arrival.kind === 'answer') return finish(arrival, checked)
  if (!arrival.link) throw new ImpersonationError('malformed', { texts })
  return begin(arrival.link, checked)
}

/**
 * Without `await` up to the storage, because a second call must find the page as the first has
 * left it.
 */
async function begin(link: Link, options: CheckedOptions): Promise<never> {
  const { texts } = options
  const handOver = newHandOver(link, location.href)
  try {
    storeHandOver(handOver)
  } catch (cause) {
    throw new ImpersonationError('storage_blocked', { texts, cause })
  }
  try {
    const { holdOnlyTab, discoverProvider, failure } = await load(options)
    const release = await holdOnlyTab(options)
    release()
    const url = await discoverProvider(options)
      .then((provider) => provider.authorizationUrl(handOver))
      .catch(inWords(failure, texts))
    // This page leaves no entry in the history, to which a person could go back.
    location.replace(url)
    await new Promise((resolve) => setTimeout(resolve, REDIRECT_MS))
    throw new ImpersonationError('unreachable', { texts })
  } catch (error) {
    takeHandOver()
    throw error
  }
}

async function finish(
  { answer, handOver }: Extract<Arrival, { kind: 'answer' }>,
  options: CheckedOptions,
): Promise<ImpersonationSession> {
  const { texts } = options
  if (!handOver) throw new ImpersonationError('foreign_answer', { texts })
  const provider = await load(options)
  const release = await provider.holdOnlyTab(options)
  try {
    const { exchangeFailure, failure, signInFailure, startSession, startStopwatch } = provider
    const found = await provider.discoverProvider(options).catch(inWords(failure, texts))
    const operator = await found.operator(answer, handOver).catch(inWords(signInFailure, texts))
    const passed = startStopwatch()
    const granted = await found
      .exchange(handOver.subjectToken, operator.accessToken)
      .catch(inWords((error) => exchangeFailure(error, handOver, operator), texts))
    const actor = Object.freeze({ sub: operator.sub })
    return startSession({ granted, actor, provider: found, release, passed }, options)
  } catch (error) {
    release()
    throw error
  }
}

/** Loads this code and oauth4webapi only for pages with an impersonation. */
async function load(options: CheckedOptions) {
  return import('./acting-page.ts').catch(inWords(() => 'unreachable', options.texts))
}
