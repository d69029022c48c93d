import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../kit/button.tsx'
import { Frame, Mark } from '../kit/frame.tsx'
import { Page } from '../kit/page.tsx'
import { here } from '../kit/router.tsx'
import { Skeleton } from '../kit/skeleton.tsx'
import { Text, words } from '../kit/text.tsx'
import { ProblemMessage } from './load.tsx'
import {
  finishSignIn,
  isLeaving,
  leaveToSignIn,
  leaveToSignOut,
  SignInFailed,
  type SignInTokens,
  signInSilently,
} from './oidc.ts'
import { inWords } from './problem.ts'
import { CLIENT_ID, IS_PROVIDER_HERE } from './provider.ts'
import { ApiProblem } from './session.ts'
import { type End, SignIn } from './sign-in.ts'
import { listenToTabs, notifyTabs } from './tabs.ts'

/**
 * The storage key that says that a person was in, in any tab, and did not sign out: no token. Without
 * it, the way in is shown at once, while the provider is asked.
 */
const WAS_IN = `was in ${CLIENT_ID}`

/** What is behind the sign-in. */
interface Inside {
  /** Ends what goes on in the background: the page is left. */
  close(): void
}

type State<T> =
  | { readonly kind: 'failed'; readonly error: unknown; readonly again: () => unknown }
  | {
      readonly kind: 'in'
      readonly signIn: SignIn
      readonly inside: T
      readonly isExpired: boolean
    }
  | { readonly kind: 'signed out'; readonly why?: string }
  | { readonly kind: 'turned away'; readonly signIn: SignIn }
  | { readonly kind: 'waiting' }

/**
 * Shows what is inside to a signed-in person, and the way in to others.
 *
 * @param props.enter asks what the page needs first. An error with the status 403 turns away
 */
export function RequireSignIn<T extends Inside>(props: {
  product: string
  about: string
  enter: (signIn: SignIn) => Promise<T>
  children: (inside: T, notice: ComponentChildren) => ComponentChildren
}) {
  const { product, about, enter, children } = props
  const [state, setState] = useState<State<T>>({ kind: 'waiting' })
  const [signIn] = useState(() => new Gatekeeper(enter, setState))
  useEffect(() => {
    void signIn.start()
    return listenToTabs((news) => signIn.hear(news.kind))
  }, [signIn])

  if (state.kind === 'in') {
    return <>{children(state.inside, state.isExpired && <SignInAgain />)}</>
  }
  return (
    <Frame product={product}>
      {state.kind === 'waiting' && <Skeleton label={words.web.loading} lines={5} />}
      {state.kind === 'failed' && (
        <Page title={product}>
          <ProblemMessage error={state.error} again={state.again} />
        </Page>
      )}
      {state.kind === 'signed out' && (
        <SignInPage product={product} about={about} why={state.why} />
      )}
      {state.kind === 'turned away' && <TurnedAway signIn={state.signIn} />}
    </Frame>
  )
}

/** How a person comes in, and goes. */
class Gatekeeper<T extends Inside> {
  readonly #enter: (signIn: SignIn) => Promise<T>
  readonly #show: (state: State<T>) => void
  #state: State<T> = { kind: 'waiting' }

  constructor(enter: (signIn: SignIn) => Promise<T>, show: (state: State<T>) => void) {
    this.#enter = enter
    this.#show = show
    // A page from the cache of the browser would come back without what it has forgotten.
    addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  }

  readonly start = async (): Promise<void> => {
    this.#set({ kind: 'waiting' })
    try {
      const returned = await finishSignIn()
      if (returned?.trouble) throw returned.trouble
      const tokens = returned ? returned.signedIn : await this.#askSilently()
      if (tokens) return await this.#comeIn(tokens)
      localStorage.removeItem(WAS_IN)
      // A link into the console leads to where it points, without a page between.
      if (here().path === '/') this.#set({ kind: 'signed out' })
      else await leaveToSignIn()
    } catch (error) {
      if (isLeaving()) return
      if (error instanceof SignInFailed) {
        this.#set({ kind: 'signed out', why: words.web.signInTroubles[error.why] })
      } else this.#set({ kind: 'failed', error, again: this.start })
    }
  }

  /** What another tab did. */
  hear(kind: 'changed' | 'signed in' | 'signed out'): void {
    const state = this.#state
    if (kind === 'signed out' && (state.kind === 'in' || state.kind === 'turned away')) {
      state.signIn.end('signed out')
    }
    if (kind !== 'signed in') return
    if (state.kind === 'in') void state.signIn.resume()
    if (state.kind === 'signed out' && IS_PROVIDER_HERE) void this.start()
  }

  #set(state: State<T>): void {
    this.#state = state
    this.#show(state)
  }

  async #askSilently(): Promise<SignInTokens | undefined> {
    if (IS_PROVIDER_HERE) {
      const isFirstVisit = localStorage.getItem(WAS_IN) === null && here().path === '/'
      if (isFirstVisit) this.#set({ kind: 'signed out' })
      return signInSilently()
    }
    await leaveToSignIn('none')
    // The browser leaves.
    return new Promise(() => {})
  }

  async #comeIn(tokens: SignInTokens): Promise<void> {
    const signIn = new SignIn(tokens, (end) => this.#changed(end))
    try {
      const inside = await this.#enter(signIn)
      localStorage.setItem(WAS_IN, '')
      this.#set({ kind: 'in', signIn, inside, isExpired: false })
      notifyTabs({ kind: 'signed in', sub: signIn.sub })
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 403) {
        this.#set({ kind: 'turned away', signIn })
      } else if (error instanceof ApiProblem && error.status === 401) {
        this.#set({ kind: 'signed out', why: inWords(error) })
      } else this.#set({ kind: 'failed', error, again: () => this.#comeIn(tokens) })
    }
  }

  #changed(end: End | undefined): void {
    const state = this.#state
    if (state.kind === 'in' && (end === undefined || end === 'expired')) {
      this.#set({ ...state, isExpired: end === 'expired' })
      return
    }
    if (state.kind === 'in') state.inside.close()
    localStorage.removeItem(WAS_IN)
    if (end) this.#set({ kind: 'signed out', why: words.web.signInEnds[end] })
  }
}

function SignInPage(props: { product: string; about: string; why: string | undefined }) {
  const { product, about, why } = props
  return (
    <div class="door">
      <Mark />
      <Page title={product} about={about}>
        {why !== undefined && (
          <p class="message trouble" role="alert">
            {why}
          </p>
        )}
        <Button kind="primary" onPress={() => leaveToSignIn()}>
          {words.web.signIn}
        </Button>
      </Page>
    </div>
  )
}

function TurnedAway({ signIn }: { signIn: SignIn }) {
  return (
    <div class="door">
      <Mark />
      <Page
        title={words.web.turnedAwayTitle}
        about={<Text of={words.web.turnedAway} person={<b class="person">{signIn.sub}</b>} />}
      >
        <div class="actions">
          <Button kind="primary" onPress={() => leaveToSignIn('login')}>
            {words.web.signInOther}
          </Button>
          <Button onPress={() => leaveToSignOut(signIn.idToken)}>{words.web.signOut}</Button>
        </div>
      </Page>
    </div>
  )
}

/** Above the page that the person reads: it stays. */
function SignInAgain() {
  return (
    <div class="message trouble" role="alert">
      <p>{words.web.signInEnds.expired}</p>
      <Button onPress={() => leaveToSignIn()}>{words.web.signInAgain}</Button>
    </div>
  )
}
