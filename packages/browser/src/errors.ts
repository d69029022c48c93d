/**
 * The reason why an impersonation did not begin, or is over. A page branches on these, not on
 * messages.
 */
export type ImpersonationErrorCode =
  | 'already_acting'
  | 'consent_required'
  | 'denied'
  | 'ended'
  | 'expired'
  | 'foreign_answer'
  | 'framed'
  | 'interrupted'
  | 'left'
  | 'link_expired'
  | 'malformed'
  | 'misconfigured'
  | 'not_signed_in'
  | 'other_operator'
  | 'refused'
  | 'storage_blocked'
  | 'unreachable'

/** The values for the message of an error `left`. */
export interface LeftValues {
  /** The name of the user, if the application has provided it; else the `sub`. */
  readonly userName: string
  readonly ticket: string | undefined
  readonly isReload: boolean
}

/** Texts that replace the messages of {@link ImpersonationError}, in the operator's language. */
export type ImpersonationTexts = Partial<
  Readonly<Record<Exclude<ImpersonationErrorCode, 'left'>, string>>
> & { readonly left?: ((values: LeftValues) => string) | undefined }

const START_AGAIN_TEXT = 'Start again from the back office.'

/** The messages: the event, and the operator's next step. */
export const ERROR_TEXTS: Readonly<Record<Exclude<ImpersonationErrorCode, 'left'>, string>> = {
  already_acting:
    'Another tab of this browser acts as a customer in this application. End it there, or close that tab. Then start again from the back office.',
  consent_required:
    'The sign-in service wants to ask you for consent before this application may act for you. Tell the team that runs the application.',
  denied: 'The rules of the sign-in service do not allow you to act as this customer.',
  ended: `You no longer act as the customer: it was ended. ${START_AGAIN_TEXT}`,
  expired: `You no longer act as the customer: the time is over. ${START_AGAIN_TEXT}`,
  foreign_answer: `The sign-in service answered a request that this tab did not make, or an earlier one. Nothing was started. ${START_AGAIN_TEXT}`,
  framed:
    'This page is inside another page, where you cannot act as a customer. Open the application in a tab of its own, from the back office.',
  interrupted: `Acting as the customer did not begin: the way through the sign-in service was interrupted. ${START_AGAIN_TEXT}`,
  link_expired: `The link was opened too late. ${START_AGAIN_TEXT}`,
  malformed: `The link is damaged. Nothing was started. ${START_AGAIN_TEXT}`,
  misconfigured:
    'The sign-in service does not accept how this application asks. Tell the team that runs the application.',
  not_signed_in:
    'You are not signed in at the sign-in service in this browser. Sign in at the back office, then start again from there.',
  other_operator:
    'The link is for another operator than the one who is signed in in this browser. Sign in at the back office as yourself, then start again from there.',
  refused: `The sign-in service refused. The link was used before, is too old, or is for another operator or another application. After an end of all, wait ten seconds. ${START_AGAIN_TEXT}`,
  storage_blocked:
    'The browser does not let this page store data. Allow cookies and site data for this page, then start again from the back office.',
  unreachable:
    'The sign-in service did not answer. Wait a moment, then try again. To act as a customer, start again from the back office.',
}

export interface ImpersonationErrorOptions extends ErrorOptions {
  readonly texts?: ImpersonationTexts | undefined
  /** Replaces the message that belongs to the code. */
  readonly message?: string | undefined
  readonly continueUrl?: string | undefined
}

/** An impersonation did not begin, or is over. The message is for the operator. */
export class ImpersonationError extends Error {
  readonly code: ImpersonationErrorCode
  /**
   * The page of the console that goes on with the same user, ticket and rights, after a reload.
   */
  readonly continueUrl: string | undefined

  constructor(
    code: ImpersonationErrorCode,
    { texts, message, continueUrl, ...options }: ImpersonationErrorOptions = {},
  ) {
    // The message of `left` is made by the code that throws it.
    const known = code as Exclude<ImpersonationErrorCode, 'left'>
    super(message ?? texts?.[known] ?? ERROR_TEXTS[known], options)
    this.continueUrl = continueUrl
    this.name = 'ImpersonationError'
    this.code = code
  }
}

/**
 * Describes the response of the provider or the browser in words alone. Errors of oauth4webapi
 * carry whole responses, with codes and tokens in them, which must not reach an error report.
 */
export function describeCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  if ('error' in error && typeof error.error === 'string') {
    const description = 'error_description' in error ? error.error_description : undefined
    return new Error(`${error.error}: ${description ?? 'no description'}`)
  }
  return new Error(`${error.name}: ${error.message}`)
}

/** Makes a `catch` handler that rejects with an error whose message is for the operator. */
export function inWords(
  codeOf: (error: unknown) => ImpersonationErrorCode,
  texts?: ImpersonationTexts,
): (error: unknown) => never {
  return (error) => {
    if (error instanceof ImpersonationError) throw error
    throw new ImpersonationError(codeOf(error), { texts, cause: describeCause(error) })
  }
}
