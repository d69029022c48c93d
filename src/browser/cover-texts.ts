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
  bySignOut: 'You signed out, and that ended it.',
  byReplay:
    'The link that started it was used a second time. It was ended in case another person has the link. Tell your security team.',
  byPolicy: 'A rule of your organisation ended it.',
  byOther: 'Another person of your organisation ended it. Ask your lead before you start again.',
  unknown: 'It was ended. This page was not told by whom.',
  next: 'What you did not save is not saved. Close this tab. To act again, start again from the back office.',
  copy: 'Copy what I typed',
  copied: 'Copied.',
  copyByHand: 'The browser does not let this page copy. Select the text and copy it:',
}
