import { after, afterEach, before, beforeEach } from 'mocha'

type Disposed = AsyncDisposable | Disposable

/** Makes something before the first test of a `describe`, and disposes of it after the last. */
export function shared<T extends Disposed>(make: () => T | Promise<T>): T {
  return made(make, before, after)
}

/** Makes something before each test of a `describe`, and disposes of it afterwards. */
export function renewed<T extends Disposed>(make: () => T | Promise<T>): T {
  return made(make, beforeEach, afterEach)
}

/** Returns a proxy of what is there while a test runs. */
function made<T extends Disposed>(
  make: () => T | Promise<T>,
  begin: typeof before,
  end: typeof after,
): T {
  let present: T | undefined
  begin(async () => {
    present = await make()
  })
  end(async () => {
    if (!present) return
    if (Symbol.asyncDispose in present) await present[Symbol.asyncDispose]()
    else present[Symbol.dispose]()
    present = undefined
  })
  const traps = new Proxy<ProxyHandler<T>>(
    {},
    {
      get:
        (_, trap) =>
        (_target: T, ...rest: unknown[]) =>
          Reflect.apply(Reflect.get(Reflect, trap), Reflect, [present, ...rest]),
    },
  )
  return new Proxy({} as T, traps)
}
