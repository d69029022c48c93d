import type { AsymmetricSigningAlgorithm, Provider } from 'oidc-provider'
import { canSign, configurationOf } from '../host/instance.ts'
import { SIGNING_ALGORITHMS } from '../shared/constants.ts'

/**
 * The algorithm, and so the key, with which the plugin signs machine-to-machine tokens and status
 * lists. It is the one that signs ID tokens, or else the first of the preference.
 *
 * @returns `undefined` if the provider has no such key
 */
export function signingAlgorithm(provider: Provider): AsymmetricSigningAlgorithm | undefined {
  const preferred = configurationOf(provider).clientDefaults?.id_token_signed_response_alg
  const candidates = SIGNING_ALGORITHMS.filter((alg) => canSign(provider, alg))
  return candidates.find((alg) => alg === preferred) ?? candidates[0]
}
