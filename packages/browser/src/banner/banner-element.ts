import { type BannerSettings, markTitle, type ShownSession, show, shownSession } from './shown.ts'
import { bannerView } from './view.ts'

/**
 * Shows who acts as whom and until when, and ends it. Without a session, it shows nothing.
 *
 * Fires `end-failed`, a `CustomEvent` whose `detail` is what `session.end()` threw.
 */
export interface ImpersonationBannerElement extends HTMLElement, BannerSettings {}

declare global {
  interface HTMLElementTagNameMap {
    'impersonation-banner': ImpersonationBannerElement
  }
}

const PROPERTY_NAMES = [
  'session',
  'subjectName',
  'actorName',
  'ticket',
  'changes',
  'texts',
  'marksTitle',
] as const

/** Makes the class of the element. A server has no `HTMLElement`, so a module cannot do it. */
export function bannerElement(): CustomElementConstructor {
  return class extends HTMLElement {
    readonly #root = this.attachShadow({ mode: 'open' })
    readonly #view = bannerView(this.#root)
    readonly #settings: Partial<BannerSettings> = {}
    #shown: ShownSession | undefined
    #timer: ReturnType<typeof setTimeout> | undefined

    constructor() {
      super()
      for (const property of PROPERTY_NAMES) {
        // It may have been set before the element was defined.
        const before = Object.getOwnPropertyDescriptor(this, property)
        Object.assign(this.#settings, { [property]: before?.value })
        Object.defineProperty(this, property, {
          get: () => this.#settings[property],
          set: (value: unknown) => {
            this.#listen(false)
            Object.assign(this.#settings, { [property]: value })
            this.#listen(this.isConnected)
          },
        })
      }
      this.#view.end.addEventListener('click', () => this.#end())
    }

    connectedCallback(): void {
      this.#listen(true)
    }

    disconnectedCallback(): void {
      this.#listen(false)
    }

    #listen(isToListen: boolean): void {
      const change = isToListen ? 'addEventListener' : 'removeEventListener'
      const { session } = this.#settings
      session?.[change]('ended', this.#render)
      session?.[change]('expired', this.#render)
      // Timers stand still while the machine sleeps.
      document[change]('visibilitychange', this.#render)
      this.#render()
    }

    readonly #render = (): void => {
      clearTimeout(this.#timer)
      const { session } = this.#settings
      if (session !== this.#shown?.session) {
        this.#shown = session && shownSession(session)
        this.#view.announcement.textContent = ''
      }
      this.#view.banner.hidden = !session
      if (!this.#shown || !this.isConnected) {
        markTitle(this.#view)
        return
      }
      const hadFocus = this.#root.activeElement === this.#view.end
      const changesIn = show(this.#view, this.#shown, this.#settings)
      if (changesIn) this.#timer = setTimeout(this.#render, changesIn)
      // The button is gone. Without this, the focus would be on the whole page.
      else if (hadFocus) this.#view.notice.focus()
    }

    async #end(): Promise<void> {
      const shown = this.#shown
      if (!shown || shown.ending || shown.over) return
      shown.ending = true
      shown.endFailed = false
      this.#render()
      try {
        await shown.session.end()
      } catch (detail) {
        shown.endFailed = true
        this.dispatchEvent(new CustomEvent('end-failed', { detail }))
      }
      shown.ending = false
      this.#render()
    }
  }
}
