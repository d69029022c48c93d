import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { JWK } from 'jose'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import { newFolder } from '../../../../test/support/folder.ts'
import { closed, listening } from '../../../../test/support/token-issuer.ts'
import { main } from '../../../verify/src/main.ts'
import type { Sign } from '../../src/ledger/sealing/seals.ts'
import { providerAt } from '../support/provider-at.ts'

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

/** A folder for files, and a provider that publishes its keys. */
export async function startProvider() {
  const folder = newFolder()
  let answer: RequestListener
  const server = createServer((request, response) => answer(request, response))
  const issuer = await listening(server)
  const jwks = `${issuer}/jwks`
  const file = async (name: string, content: string) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }
  return {
    ...{ folder, issuer, jwks, file },
    exportFile: (name: string, lines: readonly string[]) =>
      file(name, lines.map((line) => `${line}\n`).join('')),
    publishedKeys: async () => (await fetch(jwks)).text(),
    /** @param keys it signs with the first */
    async restart(keys?: JWK[]): Promise<Sign> {
      const provider = await providerAt(issuer, keys)
      answer = provider.callback()
      return (claims) => signCheckpoint(provider, claims)
    },
    stop: () => closed(server),
  }
}
