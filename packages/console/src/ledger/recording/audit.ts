import type { Provider } from 'oidc-provider-impersonation'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { type Seals, startSeals } from '../sealing/seals.ts'
import type { AuditStore } from '../store.ts'
import { type Changes, changes } from './changes.ts'
import { ledgerOf } from './ledger.ts'
import { type Recorder, type RecorderOptions, recorder } from './recorder.ts'

/** The audit of this process: records events, stores them, seals them, and tells of changes. */
export interface Audit extends Recorder {
  /** It waits until it is open. Its `open()` rejects where it cannot be opened, and tries again. */
  readonly store: AuditStore
  readonly seals: Seals
  readonly changes: Changes
}

/** Opens the store at its first use, and tries again at each call while it cannot be opened. */
export function createAudit(
  closed: AuditStore,
  provider: Provider,
  options: RecorderOptions,
): Audit {
  const { store, log, marks } = ledgerOf(closed)
  marks.attach(provider)
  const recording = recorder(log, options)
  const seals = startSeals({
    ...{ store, marks, recordSurely: recording.recordSurely },
    sign: (claims) => signCheckpoint(provider, claims),
  })
  return {
    ...recording,
    ...{ store, seals, changes: changes(store) },
    async close() {
      await recording.close()
      await seals.stop()
      await store.close()
    },
  }
}
