/**
 * RFC 6750 §3.1: an API that wants more than this token, as in RFC 9470, says another error.
 *
 * @param hidden the answer where there is no challenge that can be read
 */
export function isTokenRefused({ status, headers }: Response, hidden: boolean): boolean {
  const challenge = headers.get('www-authenticate')
  return status === 401 && (challenge ? /\berror="?invalid_token\b/.test(challenge) : hidden)
}
