import { Console } from 'node:console'
import { describeReason } from '../start-error.ts'

/** Prints what the demo says: `console` is the log of its server. */
export const terminal = new Console(process.stdout, process.stderr)

/** A step of the demo failed. The message is for people. */
export class DemoFailure extends Error {
  override name = 'DemoFailure'
}

/** @throws DemoFailure unless the condition holds. */
export function check(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new DemoFailure(otherwise)
}

/** Runs one step. If it fails, the error names the step. */
export async function step<T>(title: string, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run()
    terminal.log(`✓ ${title}`)
    return result
  } catch (error) {
    throw new DemoFailure(`✗ ${title}: ${describeReason(error)}`, { cause: error })
  }
}

export function show(value: object): void {
  terminal.log(JSON.stringify(value, null, 2).replaceAll(/^/gm, '    '))
}

/** Shows enough of a token to recognise it, but not enough to use it. */
export function masked(token: string): string {
  return `${token.slice(0, 6)}… (${token.length} characters)`
}
