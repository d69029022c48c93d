import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'

/** Which adapter calls fail: `Model.method`, for example `SubjectToken.find`. */
export type Faults = Set<string>

/** The memory adapter, with calls that fail on demand, and a record of every call. */
export function faultyAdapter(): {
  adapter: (model: string) => Adapter
  faults: Faults
  calls: string[]
} {
  const faults: Faults = new Set()
  const calls: string[] = []
  const memory = createMemoryAdapter()
  return {
    faults,
    calls,
    adapter: (model) =>
      new Proxy(memory(model), {
        get(target, property, receiver) {
          const member: unknown = Reflect.get(target, property, receiver)
          if (typeof member !== 'function') return member
          return async (...args: unknown[]) => {
            const call = `${model}.${String(property)}`
            calls.push(call)
            if (faults.has(call)) throw new Error(`the storage failed at ${call}`)
            return Reflect.apply(member, target, args)
          }
        },
      }),
  }
}

/** The memory adapter with members replaced, or removed with `undefined`. */
export function memoryAdapterWith(members: Record<string, unknown>): (model: string) => Adapter {
  const memory = createMemoryAdapter()
  return (model) =>
    new Proxy(memory(model), {
      has: (target, property) =>
        property in members ? members[String(property)] !== undefined : property in target,
      get(target, property) {
        if (property in members) return members[String(property)]
        const member: unknown = Reflect.get(target, property)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
}
