import { ENGLISH_REASONS, reasonOf, type SessionEnd } from '../ended.ts'

/** The names in the banner. Each is isolated: it does not change the direction of other text. */
export interface BannerNames {
  readonly actor: string
  readonly subject: string
}

/** Every text of the banner: plain text, never HTML. The defaults are English. */
export interface ImpersonationBannerTexts {
  /** While it lasts. It is also the label of the region. */
  who(names: BannerNames): string
  /** The title of the page while it lasts. The name is not isolated here; `title` is the page's own. */
  title(values: { readonly subject: string; readonly title: string }): string
  /** After it. */
  whoActed(names: BannerNames): string
  /** Instead of a name that is empty, and of the user where the token is opaque. */
  readonly nameless: string
  ticket(values: { readonly ticket: string }): string
  readonly lookOnly: string
  readonly lookAndChange: string
  left(values: { readonly minutes: number; readonly seconds: number }): string
  /** Instead of `left` in the last 60 seconds. */
  lastMinute(values: { readonly seconds: number }): string
  /** What a screen reader says at 60 seconds and at 10 seconds. */
  announcement(values: { readonly seconds: number; readonly subject: string }): string
  readonly end: string
  /** On the button, until the provider answers. */
  readonly ending: string
  readonly endFailed: string
  /** `ending` says who ended it: nothing where the provider did not tell. */
  ended(ending: SessionEnd | undefined): string
  readonly expired: string
  /** What to do after the end, where nothing is in the slot `over`. */
  readonly next: string
}

export const ENGLISH_TEXTS: ImpersonationBannerTexts = {
  who: ({ actor, subject }) => `${actor} acts as ${subject}`,
  title: ({ subject, title }) => `Acting as ${subject} · ${title}`,
  whoActed: ({ actor, subject }) => `${actor} acted as ${subject}`,
  nameless: '(no name)',
  ticket: ({ ticket }) => `Ticket ${ticket}`,
  lookOnly: 'Look only',
  lookAndChange: 'Look and change',
  left: ({ minutes, seconds }) => `${minutes}:${String(seconds).padStart(2, '0')} left`,
  lastMinute: ({ seconds }) => `Last minute: ${seconds} s left`,
  announcement: ({ seconds, subject }) => `${seconds} seconds left to act as ${subject}`,
  end: 'End',
  ending: 'Ending…',
  endFailed:
    'Not ended: the request to the provider failed. Acting goes on. Check the connection, then press End again.',
  ended: (ending) => `Acting has ended. ${ending ? ENGLISH_REASONS[reasonOf(ending)] : ''}`.trim(),
  expired: ENGLISH_REASONS.expired,
  next: 'This page can still show data of the user: close it. To act again, start again where you started.',
}
