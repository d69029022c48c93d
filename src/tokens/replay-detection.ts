import { hash } from 'node:crypto'
import type { Adapter, Provider } from 'oidc-provider'
import { hasConsumeOnce } from '../adapters/contract.ts'
import { type ConsumeOnce, createConsumer } from './single-use.ts'

/**
 * The provider's replay detection (of DPoP proofs and client assertions) looks for the record and
 * then stores it, so that two copies that arrive together both pass. Where the adapter has an
 * atomic `consumeOnce` for every model, that decides: all of them store the record, one gets it.
 */
export function makeReplayDetectionAtomic(provider: Provider): void {
  const { ReplayDetection } = provider
  const findAndStore = ReplayDetection.unique
  let consume: ConsumeOnce | undefined
  ReplayDetection.unique = async (iss, jti, exp) => {
    if (!(await Reflect.apply(findAndStore, ReplayDetection, [iss, jti, exp]))) return false
    // Looked at on first use: a deployment that detects no replays may have no storage for them.
    consume ??= chooseConsumer(ReplayDetection.adapter)
    // The id under which it has just been stored.
    return consume(hash('sha256', `${iss}${jti}`, 'base64url'), exp)
  }
}

function chooseConsumer(adapter: Adapter): ConsumeOnce {
  const consumes = hasConsumeOnce(adapter) && 'consumesEveryModel' in adapter
  return consumes && adapter.consumesEveryModel
    ? createConsumer(adapter, 'adapter')
    : async () => true
}
