import { saysSomething } from 'oidc-provider-impersonation-verify/format'

/** What a person typed, on one line: the server refuses a line break. Empty where there is nothing to read. */
export function oneLine(value: string): string {
  return saysSomething(value) ? value.trim().replaceAll(/\s+/g, ' ') : ''
}
