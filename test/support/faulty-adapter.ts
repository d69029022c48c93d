import type { Adapter } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withMembers } from '../adapters/with-members.ts'

export type Around = (
  method: string,
  args: readonly unknown[],
  call: () => unknown,
  model: string,
) => unknown

/** An adapter, with something around each call. */
export function around<A extends Adapter>(adapter: (model: string) => A, ask: Around) {
  return (model: string): A =>
    new Proxy(adapter(model), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) =>
          ask(String(name), args, () => Reflect.apply(member, target, args), model)
      },
    })
}

/** The same, around each call about subject tokens. */
export function aroundTokens<A extends Adapter>(adapter: (model: string) => A, ask: Around) {
  return around(adapter, (method, args, call, model) =>
    model === 'SubjectToken' ? ask(method, args, call, model) : call(),
  )
}

/**
 * The memory adapter, with a record of every call, and with calls that fail on demand:
 * `Model.method`, for example `SubjectToken.find`.
 *
 * @param trouble members of the error
 */
export function faultyAdapter(trouble: object = {}) {
  const faults = new Set<string>()
  const calls: string[] = []
  const adapter = around(createMemoryAdapter(), async (method, _args, call, model) => {
    const name = `${model}.${method}`
    calls.push(name)
    if (faults.has(name)) throw Object.assign(new Error(`the storage failed at ${name}`), trouble)
    return call()
  })
  return { adapter, faults, calls }
}

/** The memory adapter with members replaced, or removed with `undefined`. */
export function memoryAdapterWith(members: object): (model: string) => Adapter {
  const memory = createMemoryAdapter()
  return (model) => withMembers(memory(model), members)
}
