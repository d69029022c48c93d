import type { GetCustomJwtClaims } from '../../src/index.ts'
import { type Answer, type Deployment, type DeploymentOptions, deploy } from './deployment.ts'

/** A deployment with this hook. */
export function deployWith(
  getCustomJwtClaims: GetCustomJwtClaims,
  options: DeploymentOptions = {},
): Promise<Deployment> {
  return deploy({
    ...options,
    impersonation: { getCustomJwtClaims, ...options.impersonation },
  })
}

/** Exchanges a fresh subject token for alice, issued with this context. */
export async function exchange(
  deployment: Deployment,
  context?: object,
  form = {},
): Promise<Answer> {
  const subject_token = await deployment.subjectToken({ context })
  return deployment.exchange({ subject_token, ...form })
}
