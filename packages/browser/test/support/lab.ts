// A script of the test page: sessions that end as the test says, and banners for them.
import {
  defineImpersonationBanner,
  type ImpersonationBannerElement,
  type ImpersonationSession,
  type TokenContext,
} from '../../src/index.ts'

export interface FakeSessionOptions {
  /** @defaultValue 600 */
  readonly seconds?: number
  /** @defaultValue `'alice'`; `null` is a session whose token tells no user */
  readonly userId?: string | null
  readonly actor?: string
  readonly context?: TokenContext
  readonly isToBeReviewed?: boolean
}

export class FakeSession extends EventTarget implements ImpersonationSession {
  readonly accessToken = 'secret'
  readonly tokenType = 'Bearer'
  readonly scope = ['orders:read']
  readonly userId: string | undefined
  readonly actor: { readonly sub: string }
  readonly expiresAtMs: number
  readonly context: TokenContext
  state: ImpersonationSession['state'] = 'active'
  readonly ending = undefined
  isToBeReviewed: boolean
  /** Number of requests that asked for the end. */
  ends = 0
  readonly #answers: PromiseWithResolvers<void>[] = []

  constructor(options: FakeSessionOptions = {}) {
    super()
    const { userId = 'alice', actor = 'olivia', seconds = 600, context } = options
    this.userId = userId ?? undefined
    this.isToBeReviewed = options.isToBeReviewed === true
    this.actor = { sub: actor }
    this.expiresAtMs = Date.now() + seconds * 1000
    this.context = context ?? { impersonation_context: { ticket_id: 'SUP-123' } }
  }

  async fetch(): Promise<Response> {
    return new Response()
  }

  /** Waits until `answer` or `fail`. */
  async end(): Promise<void> {
    this.ends += 1
    const answer = Promise.withResolvers<void>()
    this.#answers[this.ends] = answer
    await answer.promise
    this.finish('ended')
  }

  answer(): void {
    this.#answers[this.ends]?.resolve()
  }

  fail(): void {
    this.#answers[this.ends]?.reject(new Error('unreachable'))
  }

  finish(state: 'ended' | 'expired'): void {
    this.state = state
    this.dispatchEvent(new Event(state))
  }
}

type Settings = Partial<Omit<ImpersonationBannerElement, keyof HTMLElement | 'session'>>

const lab = {
  define: defineImpersonationBanner,
  session: (options?: FakeSessionOptions) => new FakeSession(options),
  /** Shows a banner at the top of the page, in place of those before it. */
  show(session: FakeSession, settings: Settings = {}): ImpersonationBannerElement {
    for (const old of document.querySelectorAll('impersonation-banner')) old.remove()
    return lab.add(session, settings)
  },
  /** Shows one more. */
  add(session: FakeSession, settings: Settings = {}): ImpersonationBannerElement {
    const banner = document.createElement('impersonation-banner')
    Object.assign(banner, { session, ...settings })
    document.body.prepend(banner)
    lab.current = session
    return banner
  },
  /** Sets properties of the banner in the page. */
  set(properties: Settings & { session?: FakeSession | undefined }): void {
    Object.assign(document.querySelector('impersonation-banner') ?? {}, properties)
  },
  /** The page is looked at, as after a switch of tabs. */
  look(): void {
    document.dispatchEvent(new Event('visibilitychange'))
  },
  current: undefined as FakeSession | undefined,
}

declare global {
  interface Window {
    readonly lab: typeof lab
  }
}

Object.assign(window, { lab })
