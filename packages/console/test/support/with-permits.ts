import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { type Deployment, type DeploymentOptions, deploy } from './deployment.ts'
import { memoryAudit } from './memory-audit.ts'

/** A deployment whose rule may ask for approvals, which Grace gives. */
export async function deployWithPermits(
  rule: Authorize,
  options: DeploymentOptions = {},
): Promise<Deployment & { readonly permits: Permits }> {
  const audit = options.audit ?? memoryAudit()
  const approvers = () => [{ id: 'grace', name: 'Grace Lindqvist' }]
  const permits = createPermits({ audit, approvers })
  const deployment = await deploy({
    ...options,
    audit,
    authorize: permits.wrap(rule),
    console: { permits, ...options.console },
  })
  return {
    ...deployment,
    permits,
    async [Symbol.asyncDispose]() {
      await permits.close()
      await deployment[Symbol.asyncDispose]()
    },
  }
}
