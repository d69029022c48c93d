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

export const ENGLISH_COVER_TEXTS: ImpersonationCoverTexts = {
  over: ({ subject }) => `You no longer act as ${subject ?? 'the customer'}`,
  expired: 'The time is over.',
  byCustomer: 'The customer ended it.',
  byOperator: 'You ended it.',
  bySignOut: 'You signed out.',
  byReplay: 'Its link was used a second time, perhaps by another person. Tell your security team.',
  byPolicy: 'A rule ended it.',
  byOther: 'Another person ended it. Ask your lead before you start again.',
  unknown: 'It was ended. It is not known by whom.',
  next: 'What you did not save is lost. Close this tab. To act again, start again from the back office.',
  copy: 'Copy what I typed',
  copied: 'Copied.',
  copyByHand: 'The browser refuses. Select the text and copy it:',
}
