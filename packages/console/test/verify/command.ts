import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const COMMAND = join(import.meta.dirname, '../../../verify/src/command.ts')

/** Runs the command `verify` in a process of its own. */
export async function runVerify(...args: readonly string[]) {
  const options = ['--conditions=oidc-provider-impersonation', COMMAND, ...args]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: Number(code), out, err }
}
