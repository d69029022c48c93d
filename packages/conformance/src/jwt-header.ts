import { decodeProtectedHeader } from 'jose'

/** The header of a JWT; empty for what is none. */
export function headerOf(jwt: string): { readonly typ?: string } {
  try {
    return decodeProtectedHeader(jwt)
  } catch {
    return {}
  }
}
