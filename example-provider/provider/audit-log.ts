import type { ImpersonationEvent, Provider } from '../../src/index.ts'
import { PLUGIN_EVENTS } from '../audit/entry.ts'
import type { Recorder } from '../audit/recorder.ts'

/** Records all events of impersonations. No event holds a token. */
export function recordEvents(provider: Provider, { record }: Pick<Recorder, 'record'>): void {
  for (const event of PLUGIN_EVENTS) {
    provider.on(event, (_ctx: unknown, facts: ImpersonationEvent) => record({ event, ...facts }))
  }
}
