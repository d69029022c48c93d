import type { ImpersonationEvent, Provider } from '../../src/index.ts'

const EVENTS = [
  'impersonation.issued',
  'impersonation.granted',
  'impersonation.denied',
  'impersonation.replayed',
] as const

/** One line of JSON on stdout for whatever happens to an impersonation. No event holds a token. */
export function logEvents(provider: Provider): void {
  for (const event of EVENTS) {
    provider.on(event, (_ctx, facts) => console.log(lineOf(event, facts)))
  }
}

function lineOf(event: string, facts: ImpersonationEvent): string {
  // JSON leaves DEL and C1 control characters as they are, which a terminal may obey.
  return JSON.stringify({ event, ...facts }).replaceAll(
    /[\x7f-\x9f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
