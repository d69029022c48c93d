import type { Provider } from '../../src/index.ts'
import type { Recorder } from '../audit/recorder.ts'

const EVENTS = [
  'impersonation.issued',
  'impersonation.granted',
  'impersonation.denied',
  'impersonation.replayed',
] as const

/** Records whatever happens to an impersonation. No event holds a token. */
export function recordEvents(provider: Provider, { record }: Pick<Recorder, 'record'>): void {
  for (const event of EVENTS) {
    provider.on(event, (_ctx, facts) => record({ event, ...facts }))
  }
}
