/**
 * Checks whether an API refused the token. RFC 6750 §3.1: an API that wants more than this token,
 * as in RFC 9470, sends another error.
 *
 * @param hidden - the result if there is no challenge that can be read
 */
export function isTokenRefused({ status, headers }: Response, hidden: boolean): boolean {
  const challenge = headers.get('www-authenticate')
  return status === 401 && (challenge ? /\berror="?invalid_token\b/.test(challenge) : hidden)
}
