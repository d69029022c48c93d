import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import type { SeenAnswer } from './openapi-document.ts'

/** `features.dPoP` of a provider that hands out nonces. */
export const NONCES = { enabled: true, nonceSecret: Buffer.alloc(32, 1) } as const

/** What a limiter without points rejects with. */
export const EXHAUSTED = { msBeforeNext: 1500 }

/** Claims of proofs, each wrong in one way, whatever the provider's nonces. */
export const WRONG_PROOFS: ReadonlyArray<Record<string, unknown>> = [
  { iat: undefined },
  { jti: 1 },
  { nonce: 1 },
  { htm: 'PUT' },
  { htu: 'https://elsewhere.example' },
]

/** The answers of a deployment that runs while `use` asks. */
export async function* during(
  options: DeploymentOptions,
  use: (deployment: Deployment) => AsyncGenerator<SeenAnswer>,
): AsyncGenerator<SeenAnswer> {
  const deployment = await deploy(options)
  yield* use(deployment)
  await deployment.close()
}
