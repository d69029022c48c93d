import { banner } from './banner.ts'
import { readConfig } from './config.ts'
import { help } from './config-help.ts'
import { type Example, startExample } from './server.ts'
import { StartError } from './start-error.ts'

/**
 * npm repeats a Ctrl-C that this process has already received. Within this time, in milliseconds,
 * both count as one signal.
 */
const SAME_SIGNAL = 300

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
  if (argument !== undefined) {
    throw new StartError(`'${argument}' is not understood: there is --help, and the environment`)
  }
  const config = readConfig(process.env)
  const example = await startExample(config)
  endOnSignal(example)
  await example.check()
  console.log(banner(config, example.url))
}

/** The first signal lets open requests finish. The second signal ends the process at once. */
function endOnSignal(example: Example): void {
  let since: number | undefined
  const end = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (performance.now() - since > SAME_SIGNAL) process.exit(signal === 'SIGINT' ? 130 : 143)
      return
    }
    since = performance.now()
    console.log('\nFinishing what is in flight; Ctrl-C once more ends at once.')
    example.close().then(
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
