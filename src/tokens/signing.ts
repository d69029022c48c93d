import type { AsymmetricSigningAlgorithm, Provider } from 'oidc-provider'
import { canSign, configurationOf } from '../host/instance.ts'
import { SIGNING_ALGORITHMS } from '../shared/constants.ts'

/**
 * By which algorithm, and so by which key, the plugin signs what is its own: machine-to-machine
 * tokens and status lists. The one that signs ID tokens, else the first of the preference.
 *
 * @returns `undefined` where the provider has no key that could
 */
export function signingAlgorithm(provider: Provider): AsymmetricSigningAlgorithm | undefined {
  const preferred = configurationOf(provider).clientDefaults?.id_token_signed_response_alg
  const candidates = SIGNING_ALGORITHMS.filter((alg) => canSign(provider, alg))
  return candidates.find((alg) => alg === preferred) ?? candidates[0]
}
