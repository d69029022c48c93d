import type { ImpersonationSession } from '../session.ts'
import { startStopwatch } from '../stopwatch.ts'
import { ENGLISH_BANNER_TEXTS, type ImpersonationBannerTexts } from '../texts.ts'
import { ENTERING, fiveTimesASecond, isReached } from '../top-layer.ts'
import { isolated, plain, ticketIn } from './names.ts'
import { type BannerView, bannerView, write } from './view.ts'

/**
 * The settings of the banner. Names and tickets are text, never HTML. The banner removes
 * characters that change the direction of text, and treats an invisible name as missing.
 */
export interface ImpersonationBannerSettings {
  session: ImpersonationSession | undefined
  /** The name of the user. @defaultValue `session.userId` */
  userName: string | undefined
  /** The name of the operator. @defaultValue `session.actor.sub` */
  actorName: string | undefined
  /** @defaultValue `session.context.impersonation_context.ticket_id` */
  ticket: string | undefined
  /**
   * States whether the operator may change data. With `undefined`, the banner does not show it.
   */
  changes: boolean | undefined
  /** The texts that replace the English ones. */
  texts: Partial<ImpersonationBannerTexts> | undefined
  /**
   * Marks the title of the page, which names its tab, until the end.
   *
   * @defaultValue true
   */
  marksTitle: boolean | undefined
}

/**
 * Shows the operator, the user and the time left, and ends the impersonation. Without a session,
 * it shows nothing. Its properties can be set at any time, also before the element is defined. It
 * takes language and direction from the element around it. A name of more than 60 characters takes
 * two lines at most. The tooltip, screen readers and the print have all of it.
 *
 * In the last 30 seconds, its words, border and colours change, and nothing moves. A screen reader
 * announces the time at 60 and at 10 seconds. When the button goes, the focus moves to the words
 * about the end. An element in the slot `over` replaces the text `next` after the end.
 *
 * It is above everything in the page, in the top layer, and keeps its room in the flow. The root
 * element of the document has its height in `--impersonation-banner-height`, with which a fixed
 * header can move below it.
 *
 * Fires `end-failed`, a `CustomEvent` whose `detail` is the error of `session.end()`.
 *
 * Rules of the page for the element win over its own. These custom properties change its colours:
 *
 * - `--impersonation-banner-color` is for text.
 * - `--impersonation-banner-background`
 * - `--impersonation-banner-border` is for the line below.
 * - `--impersonation-banner-urgent-color` is for text and lines in the last 30 seconds.
 * - `--impersonation-banner-urgent-background`
 *
 * These are the parts for `::part()`:
 *
 * - `banner` is the region. It is also `urgent` in the last 30 seconds, and `over` after the end.
 * - `who` names the operator and the user.
 * - `name` is each name, and the number of the ticket.
 * - `ticket`
 * - `mode` is *Look only*, or *Look and change*.
 * - `review` is *Will be reviewed*.
 * - `countdown`
 * - `end` is the button.
 * - `notice` states that it is over, or that the end failed.
 * - `next` is the next step.
 */
export interface ImpersonationBannerElement extends HTMLElement, ImpersonationBannerSettings {}

declare global {
  interface HTMLElementTagNameMap {
    'impersonation-banner': ImpersonationBannerElement
  }
}

const PROPERTY_NAMES = [
  'session',
  'userName',
  'actorName',
  'ticket',
  'changes',
  'texts',
  'marksTitle',
] as const

const HEIGHT = '--impersonation-banner-height'

/** Makes the class of the element. A server has no `HTMLElement`, so a module cannot do it. */
export function bannerElement(): CustomElementConstructor {
  return class extends HTMLElement {
    readonly #root = this.attachShadow({ mode: 'open' })
    readonly #view = bannerView(this.#root)
    readonly #settings: Partial<ImpersonationBannerSettings> = {}
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
      const { banner, end } = this.#view
      end.addEventListener('click', () => this.#end())
      new ResizeObserver(() => {
        const { height } = banner.getBoundingClientRect()
        document.documentElement.style.setProperty(HEIGHT, `${height}px`)
      }).observe(banner)
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
      for (const type of ENTERING) document[change](type, this.#raise, true)
      window[change]('beforeprint', this.#lower)
      window[change]('afterprint', this.#render)
      this.#render()
    }

    /** Raises the banner above later elements of the top layer, and leaves the focus unchanged. */
    readonly #raise = fiveTimesASecond(() => {
      this.#lower()
      this.#show()
    })

    /** Without the top layer, as on paper, the banner is in the flow. */
    readonly #lower = (): void => this.#view.banner.removeAttribute('popover')

    #show(): void {
      const { banner } = this.#view
      const isShown = this.isConnected && !banner.hidden
      // Safari before 17, Chromium before 114 and Firefox before 125 have no popover.
      if (!isShown || !banner.showPopover) {
        this.#lower()
      } else if (!banner.popover) {
        banner.popover = 'manual'
        banner.showPopover()
      }
    }

    readonly #render = (): void => {
      clearTimeout(this.#timer)
      const { session } = this.#settings
      if (session !== this.#shown?.session) {
        this.#shown = session && shownSession(session)
        this.#view.announcement.textContent = ''
      }
      this.#view.banner.hidden = !session
      this.#show()
      if (!this.#shown || !this.isConnected) {
        markTitle(this.#view)
        return
      }
      const hadFocus = this.#root.activeElement === this.#view.end
      const changesIn = show(this.#view, this.#shown, this.#settings)
      if (changesIn) {
        this.#timer = setTimeout(this.#render, changesIn)
        // A dialog in a shadow tree has no event that reaches this listener.
        const parts = [this.#view.who, this.#view.end]
        if (!parts.every((part) => isReached(this, part))) this.#raise()
      }
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

/** A session in a banner, and its state there. */
interface ShownSession {
  readonly session: ImpersonationSession
  readonly left: () => number
  readonly isToSay: (seconds: number) => boolean
  ending: boolean
  endFailed: boolean
  /** Stays set, so that a session that is over is not shown as active again. */
  over: 'ended' | 'expired' | undefined
}

function shownSession(session: ImpersonationSession): ShownSession {
  const passed = startStopwatch()
  const life = session.expiresAtMs - Date.now()
  return {
    session,
    left: () => life - passed(),
    isToSay: announcements(),
    ending: false,
    endFailed: false,
    over: undefined,
  }
}

/** The seconds before the end from which the banner changes its look. */
const LAST_SECONDS = 30

/**
 * Writes the current state, and returns the milliseconds until it changes, which is 0 after the
 * end.
 */
function show(
  view: BannerView,
  shown: ShownSession,
  settings: Partial<ImpersonationBannerSettings>,
): number {
  const { session, ending, endFailed } = shown
  const left = shown.left()
  if (session.state !== 'active') shown.over = session.state
  else if (!(left > 0)) shown.over ??= 'expired'
  const { over } = shown
  const seconds = Math.ceil(left / 1000)
  const isUrgent = !over && seconds <= LAST_SECONDS

  const texts = { ...ENGLISH_BANNER_TEXTS, ...settings.texts }
  const actorName = isolated(settings.actorName, session.actor.sub) ?? texts.nameless
  const userName = isolated(settings.userName, session.userId) ?? texts.nameless
  const ticket = isolated(settings.ticket, ticketIn(session.context))
  const { changes } = settings

  const isMarked = !over && settings.marksTitle !== false
  markTitle(
    view,
    isMarked ? (title) => texts.title({ userName: plain(userName), title }) : undefined,
  )
  view.banner.part.toggle('urgent', isUrgent)
  view.banner.part.toggle('over', !!over)
  write(view.who, (over ? texts.whoActed : texts.who)({ actorName, userName }))
  write(view.ticket, ticket && texts.ticket({ ticket }))
  write(view.mode, changes === undefined ? '' : changes ? texts.lookAndChange : texts.lookOnly)
  write(view.review, session.isToBeReviewed ? texts.toBeReviewed : '')
  write(
    view.countdown,
    over
      ? ''
      : isUrgent
        ? texts.lastSeconds({ seconds })
        : texts.left({ minutes: Math.floor(seconds / 60), seconds: seconds % 60 }),
  )
  // The attribute `disabled` would take the focus away.
  view.end.setAttribute('aria-disabled', String(ending))
  write(view.end, over ? '' : ending ? texts.ending : texts.end)
  write(
    view.notice,
    over
      ? over === 'ended'
        ? texts.ended(session.ending)
        : texts.expired
      : endFailed
        ? texts.endFailed
        : '',
  )
  write(view.next, texts.next)
  view.next.hidden = !over
  if (over) view.announcement.textContent = ''
  else if (shown.isToSay(seconds))
    view.announcement.textContent = texts.announcement({ seconds, userName })
  return over ? 0 : left % 1000 || 1000
}

/** Seconds before the end at which screen readers announce the time. */
const ANNOUNCED_SECONDS = [60, 10]

/**
 * Checks whether to announce these seconds now. Each announcement is made once, and late rather
 * than never.
 */
function announcements(): (seconds: number) => boolean {
  let last = Infinity
  return (seconds) => {
    const reached = ANNOUNCED_SECONDS.filter((mark) => seconds <= mark).at(-1)
    if (reached === undefined || reached >= last) return false
    last = reached
    return true
  }
}

/**
 * The banner that marks the title of the page. Only one does, so that two do not mark it in turns.
 */
let marked: { by: object; own: string; shown: string } | undefined

/**
 * Marks the title of the page, or restores it. It keeps changes of the application in the
 * meantime.
 *
 * @param mark - makes the title from the application's own; without it, the mark is removed
 */
function markTitle(by: object, mark?: (own: string) => string): void {
  if (marked && marked.by !== by) return
  const { title } = document
  const isOurs = title === marked?.shown
  const own = isOurs && marked ? marked.own : title
  if (mark) document.title = mark(own)
  else if (isOurs) document.title = own
  // Browsers remove white space, so the title is compared in the form that they made of it.
  marked = mark && { by, own, shown: document.title }
}
