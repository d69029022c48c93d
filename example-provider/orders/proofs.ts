import type { AdapterFactory } from '../../src/adapters/contract.ts'
import type { ReplayStore } from '../../src/resource-server/index.ts'

/**
 * Used proofs, in the storage that all copies of the example share. A proof works once, in any
 * copy.
 */
export function usedProofs(adapter: AdapterFactory): ReplayStore {
  const proofs = adapter('OrdersProof')
  return {
    async isFirstUse(id, expiresAt) {
      // `upsert` never resets a consumed record, so only one of all callers consumes it.
      await proofs.upsert(id, {}, Math.max(expiresAt - Math.floor(Date.now() / 1000), 1))
      return proofs.consumeOnce(id)
    },
  }
}
