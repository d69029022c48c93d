import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { main } from '../../../verify/src/main.ts'

const COMMAND = join(import.meta.dirname, '../../../verify/src/command.ts')

/** In this process: a process of its own takes longer than what most tests look at. */
export async function runVerify(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await main([...args], {
    log: (line: string) => void out.push(`${line}\n`),
    error: (line: string) => void err.push(`${line}\n`),
  })
  return { code, out: out.join(''), err: err.join('') }
}

/** The command in a process of its own. */
export async function runVerifyProcess(...args: readonly string[]) {
  const options = ['--conditions=oidc-provider-impersonation', COMMAND, ...args]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: Number(code), out, err }
}
