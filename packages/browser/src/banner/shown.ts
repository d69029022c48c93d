import type { ImpersonationSession } from '../session.ts'
import { announcements, countdown } from './countdown.ts'
import { isolated, plain } from './names.ts'
import { ENGLISH_TEXTS, type ImpersonationBannerTexts } from './texts.ts'
import { markTitle } from './title.ts'
import { type BannerView, write } from './view.ts'

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
