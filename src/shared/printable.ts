/** Makes text safe for an error: short, and only with the characters of RFC 6749 §5.2. */
export function printable(text: string, maxLength?: number): string {
  return text.slice(0, maxLength).replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}
