import { saysSomething } from 'oidc-provider-impersonation-verify/format'

/** The pages put names between these, and who copies a name from a page copies them, too. */
const ISOLATES = /[\u2066-\u2069]/g

/** What a person typed, on one line: the server refuses a line break. Empty where there is nothing to read. */
export function oneLine(value: string): string {
  return saysSomething(value) ? value.replaceAll(ISOLATES, '').trim().replaceAll(/\s+/g, ' ') : ''
}
