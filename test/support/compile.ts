import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const TSC = join(import.meta.dirname, '../../node_modules/.bin/tsc')

/** The output of `tsc` where it finds errors, and ends with 1 or 2. */
interface Complaint {
  readonly code: number
  readonly stdout: string
}

/**
 * Compiles, and answers what the compiler says of the code: nothing where it ends with 0.
 *
 * @throws Error where the compiler cannot be run, or fails without a word about the code
 */
export async function compile(
  options: readonly string[],
  { cwd, tsc = TSC }: { readonly cwd?: string; readonly tsc?: string } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(tsc, [...options], { cwd })
    return stdout
  } catch (failure) {
    if (isComplaint(failure)) return failure.stdout
    throw failure
  }
}

function isComplaint(failure: unknown): failure is Complaint {
  if (!(failure instanceof Error) || !('code' in failure) || !('stdout' in failure)) return false
  const { code, stdout } = failure
  return (code === 1 || code === 2) && typeof stdout === 'string' && / error TS\d+:/.test(stdout)
}
