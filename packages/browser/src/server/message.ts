import { isolated } from '../banner/names.ts'
import { ERROR_TEXTS, type ImpersonationErrorCode } from '../errors.ts'
import { ENGLISH_BANNER_TEXTS } from '../texts.ts'
import { bannerHtml } from './banner-html.ts'
import { htmlOf } from './html.ts'
import type { Impersonation } from './impersonation.ts'

/** The message for the operator. An application branches on these, not on texts. */
export type ImpersonationMessageCode =
  | Extract<
      ImpersonationErrorCode,
      | 'already_acting'
      | 'consent_required'
      | 'denied'
      | 'ended'
      | 'foreign_answer'
      | 'interrupted'
      | 'malformed'
      | 'misconfigured'
      | 'not_signed_in'
      | 'refused'
      | 'unreachable'
    >
  /** The form does not come from a back office that `from` names. */
  | 'foreign_form'
  /** The form to end it does not come from a page of this application. */
  | 'foreign_end'
  /** The provider did not end it, so the operator still acts. */
  | 'end_failed'

/** A message for the operator. */
export interface ImpersonationMessage {
  readonly code: ImpersonationMessageCode
  /** The status of the response, such as 403. */
  readonly status: number
  /**
   * The text in English: plain text, never HTML. Names in it stand between U+2068 and U+2069,
   * which isolate them.
   */
  readonly text: string
  /** The impersonation that goes on, so that the page shows its banner, or that has just ended. */
  readonly impersonation: Impersonation | undefined
}

/** The names in a text. */
interface Values {
  readonly actor?: string | undefined
  readonly impersonation?: Impersonation | undefined
}

interface Names {
  readonly actor: string
  readonly user: string
}

/** The status of each message, and its text. */
const MESSAGES: Readonly<
  Record<ImpersonationMessageCode, readonly [status: number, text: (names: Names) => string]>
> = {
  already_acting: [
    409,
    ({ user }) =>
      `You act as ${user} in this browser already. End that first, then start again from the back office.`,
  ],
  consent_required: [403, () => ERROR_TEXTS.consent_required],
  denied: [403, () => ERROR_TEXTS.denied],
  end_failed: [502, () => ENGLISH_BANNER_TEXTS.endFailed],
  ended: [200, ({ actor, user }) => `Acting has ended. ${actor} acted as ${user}.`],
  foreign_answer: [
    400,
    () => 'Nothing was begun in this browser, or too long ago. Start again from the back office.',
  ],
  foreign_end: [
    403,
    () => 'Nothing was ended, because the request did not come from a page of this application.',
  ],
  foreign_form: [403, () => 'This page is opened from the back office.'],
  interrupted: [400, () => ERROR_TEXTS.interrupted],
  malformed: [400, () => 'This page is opened from the back office.'],
  misconfigured: [502, () => ERROR_TEXTS.misconfigured],
  not_signed_in: [403, () => ERROR_TEXTS.not_signed_in],
  refused: [403, ({ actor }) => `${ERROR_TEXTS.refused} You are signed in as ${actor}.`],
  unreachable: [502, () => ERROR_TEXTS.unreachable],
}

/** Maps other codes of {@link ImpersonationErrorCode}, which belong to pages alone. */
export function messageCodeOf(code: ImpersonationErrorCode): ImpersonationMessageCode {
  return isMessageCode(code) ? code : 'misconfigured'
}

function isMessageCode(code: string): code is ImpersonationMessageCode {
  return code in MESSAGES
}

/** @param values - `actor` is the person who is signed in at the provider */
export function messageOf(
  code: ImpersonationMessageCode,
  { actor, impersonation }: Values,
): ImpersonationMessage {
  const { nameless } = ENGLISH_BANNER_TEXTS
  const names = {
    actor: isolated(actor, impersonation?.actor.sub) ?? nameless,
    user: isolated(impersonation?.userId) ?? nameless,
  }
  const [status, text] = MESSAGES[code]
  return { code, status, text: text(names), impersonation }
}

/** A page without style and script. */
export function plainPage({ code, status, text, impersonation }: ImpersonationMessage): Response {
  const banner = impersonation && code !== 'ended' ? bannerHtml(impersonation) : ''
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Impersonation</title>
<body>
${banner}
<main><p role="alert">${htmlOf(text)}</p></main>
</body>
</html>
`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
    },
  })
}
