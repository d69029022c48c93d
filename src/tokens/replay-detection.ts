import { hash } from 'node:crypto'
import type { Adapter, Provider } from 'oidc-provider'
import { hasConsumeOnce } from '../adapters/contract.ts'
import { type ConsumeOnce, consumerOf } from './single-use.ts'

/**
 * The provider's replay detection (of DPoP proofs and client assertions) looks for the record and
 * then stores it, so that two copies that arrive together both pass. Where the adapter has an
 * atomic `consumeOnce` for every model, that decides: all of them store the record, one gets it.
 */
export function makeReplayDetectionAtomic(provider: Provider): void {
  const { ReplayDetection } = provider
  const findAndStore = ReplayDetection.unique
  let claim: ConsumeOnce | undefined
  ReplayDetection.unique = async (iss, jti, exp) => {
    if (!(await Reflect.apply(findAndStore, ReplayDetection, [iss, jti, exp]))) return false
    // Looked at on first use: a deployment that detects no replays may have no storage for them.
    claim ??= claimOf(ReplayDetection.adapter)
    // The id under which it has just been stored.
    return claim(hash('sha256', `${iss}${jti}`, 'base64url'), exp)
  }
}

function claimOf(adapter: Adapter): ConsumeOnce {
  const claims = hasConsumeOnce(adapter) && 'consumesEveryModel' in adapter
  return claims && adapter.consumesEveryModel ? consumerOf(adapter, 'adapter') : async () => true
}
