import { Console } from 'node:console'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { startServer } from '../server.ts'
import { describeReason } from '../start-error.ts'
import { walk } from './flow.ts'
import { DemoFailure, terminal } from './report.ts'

const HELP_TEXT = `Walks the whole flow, checks every step, and ends with 0 if each is as it should be.

Usage: npm run demo                      against a server that it starts itself
       npm run demo -- --url <base>      against one that runs, for example http://localhost:3000

Environment:
  STRICT                   1: by the stricter rules; with --url, where that server has them
  DEMO_PASSWORD            password of olivia, with --url (default: demo-password)
  SUPPORT_BACKEND_SECRET   secret of the backend, with --url (default: support-backend-secret)
  COPILOT_SECRET           secret of the copilot, with --url (default: copilot-secret)`

/** The variables that the demo shares with a running server. */
const SHARED_VARIABLES = ['STRICT', 'DEMO_PASSWORD', 'SUPPORT_BACKEND_SECRET', 'COPILOT_SECRET']

try {
  await main()
} catch (error) {
  terminal.error(
    error instanceof DemoFailure ? error.message : `The demo failed: ${describeReason(error)}`,
  )
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    terminal.log(HELP_TEXT)
    return
  }
  if (values.url === undefined) await walkOwnServer()
  else await walkAt(parseBase(values.url), readConfig(pick(process.env, ...SHARED_VARIABLES)))
}

async function walkAt(...where: Parameters<typeof walk>): Promise<void> {
  await walk(...where)
  terminal.log('\nEvery step is as it should be.')
}

async function walkOwnServer(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'example-provider-'))
  const [dataDir, log] = [join(folder, 'data'), join(folder, 'server.log')]
  globalThis.console = new Console(createWriteStream(log))
  try {
    const config = readConfig({
      PORT: '0',
      DATA_DIR: dataDir,
      STORAGE_URL: 'memory:',
      ...pick(process.env, 'STRICT'),
    })
    const example = await startServer(config, createApp)
    try {
      await walkAt(example.url, config)
    } finally {
      await example.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
    terminal.log(`The log of the server: ${log}`)
  }
}

function pick(environment: NodeJS.ProcessEnv, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? '']))
}

function parseBase(value: string): string {
  const url = URL.parse(value)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new DemoFailure(`--url must be an origin such as http://localhost:3000, not '${value}'`)
}
