/** Whether a text can be the id of an impersonation: a SHA-256, base64url. */
export function isId(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
