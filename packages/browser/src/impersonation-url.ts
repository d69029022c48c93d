import {
  ACTOR_PARAMETER,
  EXPIRES_PARAMETER,
  isSubject,
  isSubjectToken,
  LINK_NAMES,
  SUBJECT_TOKEN_PARAMETER,
  takeParts,
} from './link.ts'
import { parseSafe } from './safe-url.ts'

export interface ImpersonationUrlParameters {
  /** The subject token that the management API issued. Bind it with `mayAct`. */
  readonly subjectToken: string
  /** `sub` of the operator who is meant to act: a hint, for messages alone. */
  readonly actor?: string | undefined
  /**
   * Until when the subject token can be exchanged, in milliseconds since the epoch: a hint, for
   * messages alone.
   */
  readonly expiresAt?: number | undefined
}

/**
 * The address at which an application accepts an impersonation: the subject token is in the
 * fragment, which browsers do not send to servers. A fragment of the application's own stays.
 *
 * @param applicationUrl a page of the application that calls `acceptImpersonation`: https, or http on this
 * machine
 * @throws TypeError where a parameter is not what it has to be
 */
export function impersonationUrl(
  applicationUrl: string | URL,
  { subjectToken, actor, expiresAt }: ImpersonationUrlParameters,
): string {
  const url = parseSafe(applicationUrl, 'applicationUrl')
  if (!isSubjectToken(subjectToken)) {
    throw new TypeError('subjectToken must be the string that the management API answered')
  }
  if (actor !== undefined && !isSubject(actor)) {
    throw new TypeError('actor must be a string of 1 to 255 characters')
  }
  if (expiresAt !== undefined && !(Number.isFinite(expiresAt) && expiresAt > 0)) {
    throw new TypeError('expiresAt must be milliseconds since the epoch')
  }
  const { rest, taken } = takeParts(url.hash.slice(1), LINK_NAMES)
  if (taken.length > 0) throw new TypeError('applicationUrl must not carry an impersonation yet')
  const parts = [`${SUBJECT_TOKEN_PARAMETER}=${encodeURIComponent(subjectToken)}`]
  if (actor !== undefined) parts.push(`${ACTOR_PARAMETER}=${encodeURIComponent(actor)}`)
  if (expiresAt !== undefined) parts.push(`${EXPIRES_PARAMETER}=${Math.floor(expiresAt / 1000)}`)
  url.hash = [...(rest === '' ? [] : [rest]), ...parts].join('&')
  return url.href
}
