import type { AdapterFactory } from 'oidc-provider-impersonation'
import type { ReplayStore } from 'oidc-provider-impersonation/resource-server'

/** A proof of a key (DPoP) works once, in any copy of the API: they share this storage. */
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
