import type { ImpersonationEvent, Provider } from 'oidc-provider-impersonation'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { log } from '../../kernel/log-line.ts'
import { startSeals } from '../sealing/seals.ts'
import type { AuditStore } from '../store.ts'
import { changes } from './changes.ts'
import { ledgerOf } from './ledger.ts'
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts'

/** The audit of this process: records events, stores them, seals them, and tells of changes. */
export type Audit = ReturnType<typeof createAudit>

/** Opens the store at its first use, and tries again at each call while it cannot be opened. */
export function createAudit(closed: AuditStore, provider: Provider, options: RecorderOptions) {
  const ledger = ledgerOf(closed)
  const { store, marks } = ledger
  marks.attach(provider)
  const recording = recorder(ledger.log, options)
  const { recordSurely } = recording
  const seals = startSeals({
    store,
    marks,
    recordSurely,
    sign: (claims) => signCheckpoint(provider, claims),
  })
  return {
    ...recording,
    /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
    store,
    seals,
    changes: changes(store),
    async close() {
      await recording.close()
      await seals.stop()
      await store.close()
    },
  }
}

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
  { record, recordSurely, isFree, waitUntilFree }: Recorder,
  timeout: number,
): void {
  let isLogged = false
  const ready = async () => {
    if (isFree()) isLogged = false
    const hasCapacity = await waitUntilFree(timeout * 1000)
    if (!hasCapacity && !isLogged) {
      log('entries wait for the storage: issues and exchanges are answered 503 for now')
      isLogged = true
    }
    return hasCapacity
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
