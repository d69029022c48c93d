import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { readmeBlocks } from '../../scripts/readme.ts'
import type { ChecklistItem } from '../../src/index.ts'
import { freePort } from '../adapters/servers.ts'
import { signInAt } from '../support/development-sign-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const execute = promisify(execFile)
export const AUDIENCE = 'https://shop.example.com/orders'

/** A client beside those of the README: another application at which people sign in. */
const NEWSLETTER = JSON.stringify({
  client_id: 'newsletter',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['https://console.example.com/callback'],
})

/** The provider of README.md, in a process of its own. */
export interface ReadmeProvider extends AsyncDisposable {
  readonly issuer: string
  /** An access token of a person who has signed in on the pages. */
  signIn(accountId: string, resource?: string, clientId?: string): Promise<string>
  /** An access token to act as alice, by the commands of the README: of olivia, or of another token. */
  exchange(actorToken?: string): Promise<string>
  /** Ends the impersonation of an access token, with the token itself. */
  end(accessToken: string): Promise<void>
  /** The lines of `check()`, read once it listened. */
  checklist(): Promise<readonly ChecklistItem[]>
  /** Takes connections and answers nothing, until it goes on. */
  hang(): void
  goOn(): void
}

/** The provider after the diff, or the one that was there before. */
export async function readmeProvider(which: 'after' | 'before' = 'after'): Promise<ReadmeProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-readme-'))
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
  const port = await freePort()
  const base = `http://localhost:${port}`
  const child = spawn(
    process.execPath,
    ['--conditions=oidc-provider-impersonation', join(folder, 'server.mjs')],
    {
      env: { PATH: process.env.PATH, PORT: String(port), BASE_URL: base },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await answering(child, base)
  const issuer = `${base}/oidc`

  return {
    issuer,
    signIn: (accountId, resource, clientId) => signInAt(issuer, accountId, resource, clientId),
    async exchange(actorToken) {
      const commands = readmeBlocks().commands.replaceAll('localhost:3000', `localhost:${port}`)
      const OPERATOR_TOKEN = actorToken ?? (await signInAt(issuer, 'olivia'))
      const env = { ...process.env, OPERATOR_TOKEN }
      const { stdout } = await execute('bash', ['-euo', 'pipefail', '-c', commands], { env })
      const { access_token: accessToken, ...rest } = JSON.parse(stdout)
      if (!accessToken) throw new Error(`no access token: ${JSON.stringify(rest)}`)
      return accessToken
    },
    async end(accessToken) {
      const discovered = await fetch(`${issuer}/.well-known/openid-configuration`)
      const { impersonation_end_endpoint: url }: { impersonation_end_endpoint: string } =
        JSON.parse(await discovered.text())
      const headers = { authorization: `Bearer ${accessToken}` }
      const { status } = await fetch(url, { method: 'POST', headers })
      if (status !== 204) throw new Error(`${decodeJwt(accessToken).jti} not ended: ${status}`)
    },
    async checklist() {
      for (;;) {
        const [line] = /^\[.*\]$/m.exec(printed) ?? []
        if (line) return JSON.parse(line)
        await wait(20)
      }
    },
    hang: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT')
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`server.mjs of README.md ended: ${log}`)
    await wait(20)
  }
}
