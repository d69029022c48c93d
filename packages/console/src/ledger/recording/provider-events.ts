import type { ImpersonationEvent, Provider } from 'oidc-provider-impersonation'
import { log } from '../../kernel/log-line.ts'
import type { Recorder } from './recorder.ts'

/**
 * Records all events of impersonations. No event holds a token. Nothing acts before it is recorded (I13): the
 * answer to an issue or an exchange leaves after its entry is stored, and that to an end waits for it. While
 * the store cannot take entries, nothing is issued, over HTTP or in the process, and nothing is exchanged. An
 * end never waits: what runs must be stoppable.
 *
 * @param timeout how long an answer waits, in seconds
 */
export function recordEvents(
  provider: Provider,
  { record, recordSurely, capacity }: Pick<Recorder, 'record' | 'recordSurely' | 'capacity'>,
  timeout: number,
): void {
  let isLogged = false
  const ready = async () => {
    if (capacity.isFree()) isLogged = false
    const isFree = await capacity.wait(timeout * 1000)
    if (!isFree && !isLogged) {
      log('entries wait for the storage: issues and exchanges are answered 503 for now')
      isLogged = true
    }
    return isFree
  }
  provider.impersonation.recordFirst((event, facts) => recordSurely({ event, ...facts }), {
    timeout,
    ready,
  })
  // These let no person act.
  for (const event of ['impersonation.denied', 'impersonation.replayed'] as const) {
    provider.on(event, (_ctx: unknown, facts: ImpersonationEvent) => record({ event, ...facts }))
  }
}
