import { type BannerSettings, type ShownSession, show, shownSession } from './banner-shown.ts'
import { bannerView } from './banner-view.ts'

/**
 * Shows who acts as whom and until when, and ends it. Without a session, it shows nothing.
 *
 * Fires `end-failed`, a `CustomEvent` whose `detail` is what `session.end()` threw.
 */
export interface ImpersonationBannerElement extends HTMLElement, BannerSettings {}

const PROPERTIES = ['session', 'subjectName', 'actorName', 'ticket', 'changes', 'texts'] as const

/** Makes the class of the element. A server has no `HTMLElement`, so a module cannot do it. */
export function bannerElement(): CustomElementConstructor {
  class Banner extends HTMLElement implements ImpersonationBannerElement {
    declare session: ImpersonationBannerElement['session']
    declare subjectName: string | undefined
    declare actorName: string | undefined
    declare ticket: string | undefined
    declare changes: boolean | undefined
    declare texts: ImpersonationBannerElement['texts']

    readonly #root = this.attachShadow({ mode: 'open' })
    readonly #view = bannerView(this.#root)
    readonly #settings: Partial<BannerSettings> = {}
    #shown: ShownSession | undefined
    #timer: ReturnType<typeof setTimeout> | undefined

    static {
      for (const property of PROPERTIES) {
        Object.defineProperty(Banner.prototype, property, {
          get(this: Banner) {
            return this.#settings[property]
          },
          set(this: Banner, value: never) {
            this.#stop()
            this.#settings[property] = value
            this.#start()
          },
        })
      }
    }

    constructor() {
      super()
      this.#view.end.addEventListener('click', () => this.#end())
    }

    connectedCallback(): void {
      // A property that was set before the element was defined hides the one of the class.
      for (const property of PROPERTIES) {
        if (!Object.hasOwn(this, property)) continue
        const value = this[property]
        delete this[property]
        Object.assign(this, { [property]: value })
      }
      this.#start()
    }

    disconnectedCallback(): void {
      this.#stop()
    }

    #start(): void {
      const { session } = this
      if (this.isConnected) {
        session?.addEventListener('ended', this.#render)
        session?.addEventListener('expired', this.#render)
        // Timers stand still while the machine sleeps.
        document.addEventListener('visibilitychange', this.#render)
      }
      if (session !== this.#shown?.session) {
        this.#shown = session && shownSession(session)
        this.#view.said.textContent = ''
      }
      this.#render()
    }

    #stop(): void {
      clearTimeout(this.#timer)
      this.session?.removeEventListener('ended', this.#render)
      this.session?.removeEventListener('expired', this.#render)
      document.removeEventListener('visibilitychange', this.#render)
    }

    readonly #render = (): void => {
      clearTimeout(this.#timer)
      this.#view.banner.hidden = !this.#shown
      if (!this.#shown || !this.isConnected) return
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
  return Banner
}
