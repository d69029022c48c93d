import type { AuditStore } from 'oidc-provider-impersonation-console'

/** A storage that is empty at first. */
export interface AuditStorage {
  /** Another connection to the storage, as another process has it. It is not opened yet. */
  connect(): AuditStore | Promise<AuditStore>
  /** Removes the storage, after all connections are closed. */
  dispose(): void | Promise<void>
  /**
   * Does one of the `attacks`. After it, `assertSchema` and the next `open` have to reject with the code
   * `ERR_AUDIT_SCHEMA`.
   */
  attack?(what: string): void | Promise<void>
}

/** How the suite gets the store under test. */
export interface AuditContractHooks {
  /** Makes an empty storage. It is called once for each case. */
  create(): AuditStorage | Promise<AuditStorage>

  /**
   * What somebody may change in the tables behind the back of the store, in words: an index that is dropped, a
   * trigger that is added. `attack` of the storage does it.
   *
   * @defaultValue none: the cases are left out
   */
  attacks?: readonly string[]
}

/** What a case gets. */
export interface AuditTrial {
  /** Opened, and empty. */
  readonly store: AuditStore
  readonly storage: AuditStorage
  /** Another connection to the same storage, opened. It is closed after the case. */
  another(): Promise<AuditStore>
}

/** One thing that a store has to do. */
export interface AuditCase {
  /** What is promised, in plain words. */
  readonly title: string
  run(trial: AuditTrial): Promise<void>
}

/** Runs a case on a storage of its own, and removes it. */
export async function runAuditCase(
  { run }: AuditCase,
  create: () => AuditStorage | Promise<AuditStorage>,
): Promise<void> {
  const storage = await create()
  const connections: AuditStore[] = []
  const another = async () => {
    const store = await storage.connect()
    connections.push(store)
    await store.open()
    return store
  }
  try {
    // Processes that start together open together.
    const [store] = await Promise.all([another(), another()])
    await run({ store, storage, another })
  } finally {
    for (const store of connections) await store.close()
    await storage.dispose()
  }
}
