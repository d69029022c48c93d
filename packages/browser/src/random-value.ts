/** 256 bits, base64url: as a verifier 43 characters, the least that RFC 7636 §4.1 allows. */
export function randomValue(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
