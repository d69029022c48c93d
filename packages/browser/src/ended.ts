/** How a session ended, as the provider tells. */
export interface SessionEnd {
  /** `customer`: the user. `operator`: who acts. `other`: another person, a rule, or the provider. */
  readonly by: 'customer' | 'operator' | 'other'
  readonly cause: 'operator_signed_out' | 'policy' | 'replay' | 'requested' | 'user'
}

/** Every text of the cover: plain text, never HTML. The defaults are English. */
export interface ImpersonationCoverTexts {
  /** The heading. `subject` is the user: `sub` of the token, or nothing where the token is opaque. */
  over(values: { readonly subject: string | undefined }): string
  readonly expired: string
  /** Who ended it, and why. */
  readonly byCustomer: string
  readonly byOperator: string
  readonly bySignOut: string
  readonly byReplay: string
  readonly byPolicy: string
  /** A lead, or a service that names no person. */
  readonly byOther: string
  /** Where the provider did not tell. */
  readonly unknown: string
  readonly next: string
  readonly copy: string
  readonly copied: string
  /** Where the browser does not let the page copy: the text stands below. */
  readonly copyByHand: string
}

/** Why it is over, as the cover and the banner say it. */
export const ENGLISH_REASONS = {
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

/** The name of the text that says who ended it and why. The cause says more than the side. */
export function reasonOf(ending: SessionEnd | undefined): keyof typeof ENGLISH_REASONS {
  if (!ending) return 'unknown'
  return REASON_NAMES[ending.cause] ?? REASON_NAMES[ending.by] ?? 'byOther'
}
