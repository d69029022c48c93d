import type { Adapter } from 'oidc-provider'

export type Around = (method: string, args: readonly unknown[], call: () => unknown) => unknown

/** An adapter, with something around each call about subject tokens. */
export function around<A extends Adapter>(adapter: (model: string) => A, ask: Around) {
  return (model: string): A =>
    new Proxy(adapter(model), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const call = () => Reflect.apply(member, target, args)
          return model === 'SubjectToken' ? ask(String(name), args, call) : call()
        }
      },
    })
}
