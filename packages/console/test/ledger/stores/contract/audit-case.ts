import type { AuditStore } from 'oidc-provider-impersonation-console'

/** A storage that is empty at first. */
export interface AuditStorage extends AsyncDisposable {
  /** Another connection to the storage, as another process has it. It is not opened yet. */
  connect(): AuditStore
  /** Runs statements behind the back of the audit. */
  run(sql: string): unknown
}

/** A storage as a case gets it. */
export interface AuditTrial extends Pick<AuditStorage, 'run'> {
  /** Opened, and empty. */
  readonly store: AuditStore
  /** Another connection to the same storage, opened. It is closed after the case. */
  another(): Promise<AuditStore>
}

/** One thing that a store has to do. */
export interface AuditCase {
  /** The promise, in plain words. */
  readonly title: string
  run(trial: AuditTrial): Promise<void>
}
