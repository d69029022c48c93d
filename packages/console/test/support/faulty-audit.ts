import type { AuditStore } from 'oidc-provider-impersonation-console'
import { memoryAudit } from './memory-audit.ts'

interface Faults {
  /** The methods that fail now; `'all'`: every one. */
  failing: 'all' | readonly (keyof AuditStore)[]
  /** The number of calls of those methods that still succeed. */
  passing: number
  /** The error of the others. */
  error: Error
  /** The most rows of a page of `find`; `undefined`: as many as are asked for. */
  rowsPerPage: number | undefined
}

/** An audit that can be out of order: wholly, or only some of its methods. */
export interface FaultyAudit extends AuditStore, Faults {}

export function faultyAudit(): FaultyAudit {
  const faults: Faults = {
    failing: [],
    passing: 0,
    error: new Error('the audit is out of order'),
    rowsPerPage: undefined,
  }
  const isFailing = (name: string | symbol) =>
    faults.failing === 'all' || faults.failing.some((each) => each === name)
  return new Proxy(memoryAudit(), {
    get(target, name) {
      if (name in faults) return Reflect.get(faults, name)
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'deadlineIn') return member
      return async (...args: unknown[]) => {
        if (isFailing(name)) {
          if (faults.passing === 0) throw faults.error
          faults.passing -= 1
        }
        const limit = faults.rowsPerPage
        if (name === 'find' && limit) args[1] = { ...Object(args[1]), limit }
        return Reflect.apply(member, target, args)
      }
    },
    set: (_target, name, value) => Reflect.set(faults, name, value),
    // The proxy has the members that its target has not.
  }) as FaultyAudit
}
