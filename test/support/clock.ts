import { mock } from 'node:test'

/** Stops this process's clock at a moment, in milliseconds since the epoch, while `use` runs. */
export async function at<T>(moment: number, use: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['Date'], now: moment })
  try {
    return await use()
  } finally {
    mock.timers.reset()
  }
}

/** Moves this process's clock forward, by milliseconds, and stops it there until it is disposed of. */
export function later(milliseconds: number): Disposable {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + milliseconds })
  return { [Symbol.dispose]: () => mock.timers.reset() }
}
