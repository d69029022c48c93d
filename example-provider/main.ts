// Start here: `npm start`. It reads the settings, starts everything, prints where it is, and ends
// on Ctrl-C. Read on in app.ts: the provider with features.impersonation, and the flow.
import { createApp } from './app.ts'

// The rest of this file has nothing to do with impersonation.

import { readConfig } from './config.ts'
import { banner } from './demo/banner.ts'
import { help } from './demo/help.ts'
import { endOnSignal } from './end-on-signal.ts'
import { startServer } from './server.ts'
import { StartError } from './start-error.ts'

// Files beside the keys are also readable by their owner only.
process.umask(0o077)

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exit(1)
}

async function main([argument]: readonly string[]): Promise<void> {
  if (argument === '--help' || argument === '-h') {
    console.log(help())
    return
  }
  if (argument !== undefined && argument !== '--commands') {
    throw new StartError(
      `'${argument}' is not understood: there is --commands, --help, and the environment`,
    )
  }
  const config = readConfig(process.env)
  const server = await startServer(config, createApp)
  endOnSignal(() => server.close())
  await server.check()
  console.log(
    banner(config, server.url, { commands: argument === '--commands', shopUrl: server.shopUrl }),
  )
}
