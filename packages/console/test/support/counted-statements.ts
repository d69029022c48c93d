import { StatementSync } from 'node:sqlite'
import { expect } from 'chai'
import { Pool } from 'pg'

/** The number of statements that are sent while the work is done. */
export const countedStatements = {
  sqlite: (work: () => Promise<unknown>) => countedCalls(StatementSync.prototype, 'all', work),
  postgres: (work: () => Promise<unknown>) => countedCalls(Pool.prototype, 'query', work),
}

async function countedCalls<T extends object>(
  prototype: T,
  name: keyof T & string,
  work: () => Promise<unknown>,
) {
  const method = prototype[name]
  if (typeof method !== 'function') return expect.fail(`there is no ${name}`)
  let count = 0
  Reflect.set(prototype, name, function counting(this: unknown, ...args: unknown[]) {
    count += 1
    return Reflect.apply(method, this, args)
  })
  try {
    await work()
    return count
  } finally {
    Reflect.set(prototype, name, method)
  }
}
