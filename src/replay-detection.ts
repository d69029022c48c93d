import { hash } from 'node:crypto'
import type { Provider } from 'oidc-provider'
import { hasConsumeOnce } from './adapters/contract.ts'
import { claimWith } from './adapters/redemption.ts'

/**
 * The provider's replay detection (of DPoP proofs and client assertions) looks for the record and
 * then stores it, so that two copies that arrive together both pass. Where the adapter has an
 * atomic claim for every model, the claim decides: all of them store the record, one gets it.
 */
export function makeReplayDetectionAtomic(provider: Provider): void {
  const { ReplayDetection } = provider
  const { adapter } = ReplayDetection
  if (!hasConsumeOnce(adapter) || !('claimsEveryModel' in adapter) || !adapter.claimsEveryModel) {
    return
  }
  const claim = claimWith(adapter, 'adapter')
  const findAndStore = ReplayDetection.unique
  ReplayDetection.unique = async (iss, jti, exp) => {
    if (!(await Reflect.apply(findAndStore, ReplayDetection, [iss, jti, exp]))) return false
    // The id under which it has just been stored.
    return claim(hash('sha256', `${iss}${jti}`, 'base64url'), exp)
  }
}
