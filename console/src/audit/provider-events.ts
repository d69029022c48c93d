import type { ImpersonationEvent, Provider } from 'oidc-provider-impersonation'
import { PLUGIN_EVENTS } from './entry.ts'
import type { Recorder } from './recorder.ts'

/** Records all events of impersonations. No event holds a token. */
export function recordEvents(provider: Provider, { record }: Pick<Recorder, 'record'>): void {
  for (const event of PLUGIN_EVENTS) {
    provider.on(event, (_ctx: unknown, facts: ImpersonationEvent) => record({ event, ...facts }))
  }
}
