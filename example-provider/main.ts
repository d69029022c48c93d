// Start here: `npm start`. It reads the settings, starts everything, prints where it is, and ends
// on Ctrl-C. Read on in app.ts: the provider with features.impersonation, and the flow.
import { createApp } from './app.ts'

// The rest of this file has nothing to do with impersonation.

import { readConfig } from './config.ts'
import { banner } from './demo/banner.ts'
import { help } from './demo/help.ts'
import { withHistory } from './demo/history/fill.ts'
import { startServer } from './server.ts'
import { StartError } from './start-error.ts'

const ARGUMENTS: readonly string[] = ['--commands', '--with-history']

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exit(1)
}

async function main(given: readonly string[]): Promise<void> {
  if (given.includes('--help') || given.includes('-h')) {
    console.log(help())
    return
  }
  const unknown = given.find((argument) => !ARGUMENTS.includes(argument))
  if (unknown !== undefined) {
    throw new StartError(
      `'${unknown}' is not understood: there is ${ARGUMENTS.join(', ')}, --help, and the environment`,
    )
  }
  const config = readConfig(process.env)
  const commands = given.includes('--commands')
  const url = config.baseUrl ?? `http://localhost:${config.port}`
  if (commands && (await isRunning(url))) {
    const shopUrl = config.shopUrl ?? `http://127.0.0.1:${config.shopPort}`
    console.log(banner(config, url, { commands, shopUrl }))
    return
  }
  const server = await startServer(
    config,
    given.includes('--with-history') ? withHistory(config, createApp) : createApp,
  )
  endOnSignal(() => server.close())
  await server.check()
  console.log(banner(config, server.url, { commands, shopUrl: server.shopUrl }))
  console.log('Ctrl-C ends it.')
}

/** Returns whether a copy of the example answers there already. */
async function isRunning(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/oidc/.well-known/openid-configuration`)).ok
  } catch {
    return false
  }
}

/** npm repeats a Ctrl-C that this process has received, too: within this time, both are one. */
const SAME_SIGNAL_MS = 300

/** The first signal lets open requests finish. The second signal ends the process at once. */
function endOnSignal(close: () => Promise<void>): void {
  let since: number | undefined
  const end = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    since = performance.now()
    console.log('\nFinishing what is in flight; Ctrl-C once more ends at once.')
    close().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}
