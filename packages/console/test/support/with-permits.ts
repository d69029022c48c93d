import type { Authorize } from 'oidc-provider-impersonation'
import type { PermitRequest, PermitsOptions } from 'oidc-provider-impersonation-console'
import { permitsWith } from '../../src/features/permits/server/permits.ts'
import { assertWholeLog } from '../ledger/stores/contract/support.ts'
import { type DeploymentOptions, deploy } from './deployment.ts'
import { memoryAudit } from './memory-audit.ts'

export interface PermitsDeploymentOptions extends DeploymentOptions {
  /** Replaces options of the permits. */
  readonly permits?: Partial<PermitsOptions>
  /** The clock of the permits. */
  readonly now?: () => number
  /** Wraps the rule that the permits have wrapped. */
  readonly around?: (authorize: Authorize) => Authorize
}

export type PermitsDeployment = Awaited<ReturnType<typeof deployWithPermits>>

/** A change needs a second person, or is an emergency; in Bob's account, Bob himself is asked. */
export const RULE: Authorize = ({ account, scope = '' }) => {
  if (account.accountId === 'bob') return { needs: ['user'] }
  return scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true
}

/** The same, and nobody acts as Carla. */
export const RULE_WITHOUT_CARLA: Authorize = (request) =>
  request.account.accountId !== 'carla' && RULE(request)

/** A deployment whose rule may ask for approvals, which Grace gives. */
export async function deployWithPermits(
  rule = RULE,
  {
    permits: options,
    now,
    around = (authorize) => authorize,
    ...others
  }: PermitsDeploymentOptions = {},
) {
  const audit = others.audit ?? memoryAudit()
  const approvers = () => [{ id: 'grace', name: 'Grace Lindqvist' }]
  const permits = permitsWith({ audit, approvers, standing: {}, ...options }, now)
  const deployment = await deploy({
    authorize: around(permits.wrap(rule)),
    ...others,
    audit,
    console: { permits, ...others.console },
  })
  const asked = (more: Partial<PermitRequest> = {}): PermitRequest => ({
    customer: 'alice',
    operator: 'olivia',
    application: 'shop',
    resource: `${deployment.url}/orders`,
    scope: 'orders:read orders:write',
    ticket: 'SUP-123',
    reason: 'The address is wrong',
    ...more,
  })
  const request = async (more?: Partial<PermitRequest>) => (await permits.request(asked(more))).id
  return {
    ...deployment,
    permits,
    /** A request of Olivia to change something as Alice. */
    asked,
    /** Asks for it. @returns the id */
    request,
    /** Asks for it, and Grace grants it. */
    granted: async (more?: Partial<PermitRequest>) =>
      permits.decide(await request(more), 'granted', { by: 'grace' }),
    emergency: (more?: Partial<PermitRequest>) =>
      permits.emergency({ ...asked(more), why: 'It cannot wait' }),
    async [Symbol.asyncDispose]() {
      try {
        await assertWholeLog(audit)
      } finally {
        await deployment[Symbol.asyncDispose]()
      }
    },
  }
}
