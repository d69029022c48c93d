/** The end of a session, as the provider reports it. */
export interface SessionEnd {
  /**
   * The party: `customer` is the user, `operator` acts, and `other` is another person, a rule, or
   * the provider.
   */
  readonly by: 'customer' | 'operator' | 'other'
  readonly cause: 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'
}

/** Every text of the cover. The texts are plain, never HTML, and in English by default. */
export interface ImpersonationCoverTexts {
  /**
   * The heading. `userName` is the name of the user, else the `sub`, or nothing if the token is
   * opaque.
   */
  over(values: { readonly userName: string | undefined }): string
  readonly expired: string
  /** The party that ended it, and the reason. */
  readonly byCustomer: string
  readonly byOperator: string
  readonly bySignOut: string
  readonly byReplay: string
  readonly byPolicy: string
  /** A lead, or a service that names no person. */
  readonly byOther: string
  /** Shown if the provider did not report it. */
  readonly unknown: string
  readonly next: string
  readonly copy: string
  readonly copied: string
  /** Shown above the text if the browser does not let the page copy. */
  readonly copyByHand: string
}

/** The names in the banner. Each is isolated: it does not change the direction of other text. */
export interface BannerNames {
  readonly actorName: string
  readonly userName: string
}

/** Every text of the banner. The texts are plain, never HTML, and in English by default. */
export interface ImpersonationBannerTexts {
  /** Shown while it lasts. It is also the label of the region. */
  who(names: BannerNames): string
  /**
   * The title of the page while it lasts. The name is not isolated here; `title` is the page's
   * own.
   */
  title(values: { readonly userName: string; readonly title: string }): string
  /** Shown after it. */
  whoActed(names: BannerNames): string
  /** Replaces a name that is empty, and that of the user if the token is opaque. */
  readonly nameless: string
  ticket(values: { readonly ticket: string }): string
  readonly lookOnly: string
  readonly lookAndChange: string
  /** Shown if a person reviews it afterwards. */
  readonly toBeReviewed: string
  left(values: { readonly minutes: number; readonly seconds: number }): string
  /** Replaces `left` in the last 30 seconds. */
  lastSeconds(values: { readonly seconds: number }): string
  /** The announcement of a screen reader at 60 seconds and at 10 seconds. */
  announcement(values: { readonly seconds: number; readonly userName: string }): string
  readonly end: string
  /** The button, until the provider responds. */
  readonly ending: string
  readonly endFailed: string
  /** `ending` names who ended it. It is absent if the provider did not report it. */
  ended(ending: SessionEnd | undefined): string
  readonly expired: string
  /** The next step after the end, if the slot `over` is empty. */
  readonly next: string
}

/** The reasons for the end, as the cover and the banner show them. */
const ENGLISH_REASONS = {
  expired: 'The time is over.',
  byCustomer: 'The customer ended it.',
  byOperator: 'You ended it.',
  bySignOut: 'You signed out.',
  byReplay: 'Its link was used a second time, perhaps by another person. Tell your security team.',
  byPolicy: 'A rule ended it.',
  byOther: 'Another person ended it. Ask your lead before you start again.',
  unknown: 'It was ended. It is not known by whom.',
} satisfies Partial<ImpersonationCoverTexts>

const REASON_NAMES: Readonly<Record<string, keyof typeof ENGLISH_REASONS>> = {
  operator_signed_out: 'bySignOut',
  replay: 'byReplay',
  policy: 'byPolicy',
  customer: 'byCustomer',
  operator: 'byOperator',
}

/**
 * Returns the name of the text with the party and the reason of the end. The cause is more precise
 * than the party.
 */
export function reasonOf(ending: SessionEnd | undefined): keyof typeof ENGLISH_REASONS {
  if (!ending) return 'unknown'
  return REASON_NAMES[ending.cause] ?? REASON_NAMES[ending.by] ?? 'byOther'
}

export const ENGLISH_COVER_TEXTS: ImpersonationCoverTexts = {
  ...ENGLISH_REASONS,
  over: ({ userName }) => `You no longer act as ${userName ?? 'the customer'}`,
  next: 'What you did not save is lost. Close this tab. To act again, start again from the back office.',
  copy: 'Copy what I typed',
  copied: 'Copied.',
  copyByHand: 'The browser refuses. Select the text and copy it:',
}

export const ENGLISH_BANNER_TEXTS: ImpersonationBannerTexts = {
  who: ({ actorName, userName }) => `${actorName} acts as ${userName}`,
  title: ({ userName, title }) => `Acting as ${userName} · ${title}`,
  whoActed: ({ actorName, userName }) => `${actorName} acted as ${userName}`,
  nameless: '(no name)',
  ticket: ({ ticket }) => `Ticket ${ticket}`,
  lookOnly: 'Look only',
  lookAndChange: 'Look and change',
  toBeReviewed: 'Will be reviewed',
  left: ({ minutes, seconds }) => `${minutes}:${String(seconds).padStart(2, '0')} left`,
  lastSeconds: ({ seconds }) => `Only ${seconds} s left`,
  announcement: ({ seconds, userName }) => `${seconds} seconds left to act as ${userName}`,
  end: 'End',
  ending: 'Ending…',
  endFailed:
    'You still act, because the request to the provider failed. Check the connection, then press End again.',
  ended: (ending) => ENGLISH_REASONS[reasonOf(ending)],
  expired: ENGLISH_REASONS.expired,
  next: 'Close this tab, because it can still show data of the user. To act again, start again from the back office.',
}
