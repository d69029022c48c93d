import type { ImpersonationSession } from '../session.ts'
import { ENGLISH_TEXTS, type ImpersonationBannerTexts } from './texts.ts'
import { type BannerView, isolated, plain, write } from './view.ts'

/** What the application says about an impersonation. */
export interface BannerSettings {
  session: ImpersonationSession | undefined
  /** The name of the user. @defaultValue `session.subject` */
  subjectName: string | undefined
  /** The name of the operator. @defaultValue `session.actor` */
  actorName: string | undefined
  /** @defaultValue `session.context.impersonation_context.ticket_id` */
  ticket: string | undefined
  /** Whether the operator may change data. Where it is `undefined`, the banner does not show it. */
  changes: boolean | undefined
  /** The texts that replace the English ones. */
  texts: Partial<ImpersonationBannerTexts> | undefined
  /**
   * Whether the title of the page, which names its tab, says so, too, until the end.
   *
   * @defaultValue true
   */
  marksTitle: boolean | undefined
}

/** A session in a banner, and what the banner knows of it. */
export interface ShownSession {
  readonly session: ImpersonationSession
  readonly left: () => number
  readonly isToSay: (seconds: number) => boolean
  ending: boolean
  endFailed: boolean
  /** Stays: what is over is not shown as active again. */
  over: 'ended' | 'expired' | undefined
}

export function shownSession(session: ImpersonationSession): ShownSession {
  const left = countdown(session.expiresAt)
  const isToSay = announcements()
  return { session, left, isToSay, ending: false, endFailed: false, over: undefined }
}

/** Writes what is true now, and answers the milliseconds until it changes: 0 after the end. */
export function show(
  view: BannerView,
  shown: ShownSession,
  settings: Partial<BannerSettings>,
): number {
  const { session, ending, endFailed } = shown
  const left = shown.left()
  if (session.state !== 'active') shown.over = session.state
  else if (!(left > 0)) shown.over ??= 'expired'
  const { over } = shown
  const seconds = Math.ceil(left / 1000)
  const isUrgent = !over && seconds <= 60

  const texts = { ...ENGLISH_TEXTS, ...settings.texts }
  const actor = isolated(settings.actorName, session.actor) ?? texts.nameless
  const subject = isolated(settings.subjectName, session.subject) ?? texts.nameless
  const ticket = isolated(settings.ticket, ticketIn(session))
  const { changes } = settings

  const isMarked = !over && settings.marksTitle !== false
  markTitle(view, isMarked ? (title) => texts.title({ subject: plain(subject), title }) : undefined)
  view.banner.part.toggle('urgent', isUrgent)
  view.banner.part.toggle('over', !!over)
  write(view.who, (over ? texts.whoActed : texts.who)({ actor, subject }))
  write(view.ticket, ticket && texts.ticket({ ticket }))
  write(view.mode, changes === undefined ? '' : changes ? texts.lookAndChange : texts.lookOnly)
  write(
    view.countdown,
    over
      ? ''
      : isUrgent
        ? texts.lastMinute({ seconds })
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
    view.announcement.textContent = texts.announcement({ seconds, subject })
  return over ? 0 : left % 1000 || 1000
}

/** From the claim of the README's hook. */
function ticketIn({ context }: ImpersonationSession): unknown {
  return Object(context.impersonation_context).ticket_id
}

/** Seconds before the end at which screen readers say the time. */
const ANNOUNCED_SECONDS = [60, 10]

/**
 * Tells how many milliseconds are left. Two clocks count, and the one with less time left is right:
 * the time of day, because the other can stand still while the machine sleeps; and the clock of the
 * page, because the time of day can be put back. It is no stopwatch of `../stopwatch.ts`: what the banner shares
 * with the sign-in is one more file that each page loads.
 *
 * @param expiresAt milliseconds since the epoch
 */
export function countdown(expiresAt: number): () => number {
  const limit = performance.now() + expiresAt - Date.now()
  return () => Math.min(expiresAt - Date.now(), limit - performance.now())
}

/** Whether to say these seconds now. Each announcement is made once, and late rather than never. */
export function announcements(): (seconds: number) => boolean {
  let last = Infinity
  return (seconds) => {
    const reached = ANNOUNCED_SECONDS.filter((mark) => seconds <= mark).at(-1)
    if (reached === undefined || reached >= last) return false
    last = reached
    return true
  }
}

/** The banner that marks the title of the page: one at a time, so that two do not mark it in turns. */
let marked: { by: object; own: string; shown: string } | undefined

/**
 * Marks the title of the page, or gives it back what it was. What the application makes of it meanwhile
 * is kept.
 *
 * @param mark makes the title of the application's own; without it, the title is no longer marked
 */
export function markTitle(by: object, mark?: (own: string) => string): void {
  if (marked && marked.by !== by) return
  const { title } = document
  const isOurs = title === marked?.shown
  const own = isOurs && marked ? marked.own : title
  if (mark) document.title = mark(own)
  else if (isOurs) document.title = own
  // Browsers leave out white space: what they made of it is what is found the next time.
  marked = mark && { by, own, shown: document.title }
}
