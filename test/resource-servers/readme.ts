import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readmeBlocks } from '../../scripts/readme.ts'
import type { ChecklistItem } from '../../src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { newFolder } from '../support/folder.ts'
import { launch } from '../support/program.ts'
import { signIn } from '../support/sign-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const execute = promisify(execFile)
export const AUDIENCE = 'https://shop.example.com/orders'

/** A client beside those of the README: another application at which people sign in. */
const NEWSLETTER = JSON.stringify({
  client_id: 'newsletter',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['https://console.example.com/callback'],
})

export type ReadmeProvider = Awaited<ReturnType<typeof readmeProvider>>

/** The provider after the diff, or the one that was there before. */
export async function readmeProvider(which: 'after' | 'before' = 'after') {
  const folder = newFolder()
  const code = readmeBlocks()
    [which].replace(
      'console.table(lines.filter(({ ok }) => ok === false))',
      'console.log(JSON.stringify(lines))',
    )
    .replace('  clients: [\n', `  clients: [\n${NEWSLETTER},\n`)
  await writeFile(join(folder, 'server.mjs'), code)
  for (const name of ['node_modules', 'src', 'package.json']) {
    await symlink(join(ROOT, name), join(folder, name))
  }
  const PORT = String(await freePort())
  const base = `http://localhost:${PORT}`
  const condition = '--conditions=oidc-provider-impersonation'
  const command = [process.execPath, condition, join(folder, 'server.mjs')] as const
  const running = await launch(command, { PORT, BASE_URL: base, NODE_ENV: '' })
  const issuer = `${base}/oidc`
  const tokenOf = async (accountId: string, resource?: string, clientId?: string) => {
    const scope = resource ? 'openid orders:read' : 'openid'
    return (await signIn({ issuer }, accountId, { clientId, resource, scope })).access_token
  }

  return {
    issuer,
    /** An access token of a person who has signed in on the pages. */
    signIn: tokenOf,
    /** An access token to act as alice, by the commands of the README: of olivia, or of another token. */
    exchange: async (actorToken?: string) =>
      runReadmeCommands(base, actorToken ?? (await tokenOf('olivia'))),
    /** The lines of `check()`, read once it listened. */
    async checklist(): Promise<readonly ChecklistItem[]> {
      for (;;) {
        const [line] = /^\[.*\]$/m.exec(running.log) ?? []
        if (line) return JSON.parse(line)
        await wait(20)
      }
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** An access token to act as alice, by the commands of the README, for the provider at `base`. */
export async function runReadmeCommands(base: string, OPERATOR_TOKEN: string): Promise<string> {
  const commands = readmeBlocks().commands.replaceAll('localhost:3000', new URL(base).host)
  const env = { ...process.env, OPERATOR_TOKEN }
  const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', commands], { env })
  const { access_token: accessToken, ...rest } = JSON.parse(stdout)
  if (!accessToken) throw new Error(`no access token: ${JSON.stringify(rest)}`)
  return accessToken
}
