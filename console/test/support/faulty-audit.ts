import type { AuditStore } from 'oidc-provider-impersonation-console'
import { createMemoryAudit } from 'oidc-provider-impersonation-console/audit/memory'

/** An audit that can be out of order: wholly, or only some of its methods. */
export interface FaultyAudit extends AuditStore {
  /** The methods that fail now; `'all'`: every one. */
  failing: 'all' | readonly (keyof AuditStore)[]
}

export function faultyAudit(): FaultyAudit {
  const state: { failing: FaultyAudit['failing'] } = { failing: [] }
  return new Proxy(createMemoryAudit(), {
    get(target, name) {
      if (name === 'failing') return state.failing
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        const { failing } = state
        if (failing === 'all' || failing.some((each) => each === name)) {
          throw new Error('the audit is out of order')
        }
        return Reflect.apply(member, target, args)
      }
    },
    set(_target, name, value) {
      return Reflect.set(state, name, value)
    },
    // The proxy has the member that its target has not.
  }) as FaultyAudit
}
