import { parseArgs } from 'node:util'
import { CouldNotRun } from './could-not-run.ts'

export const HELP_TEXT = `Tests a server against the profile "User impersonation by subject token", over HTTP.

  oidc-provider-impersonation-conformance <issuer> --config <file> [options]

<issuer>            The issuer, word for word: https://id.example.com/oidc
--config <file>     What the suite needs to know of the server, as JSON: see the README.
--only <numbers>    These statements alone: --only P30,P31
--no-skips          A statement that could not be tested has failed.
--junit <file>      Writes the results as JUnit XML,
--json <file>       as JSON,
--html <file>       as a page for people. No report shows secrets or tokens.
--list              The statements, without testing.
--help              This text.

Use a server of your own, with people who do not exist: the suite issues and ends impersonations of
the users that the configuration names, and ends every one of the first user. It sends some hundred
requests in a few seconds, so rate limits must allow that. NODE_EXTRA_CA_CERTS=<file> adds a
certificate authority.

The exit code is 0 if everything that was tested holds, 1 if a statement does not hold, 2 if the
suite could not run (it says why, and what to do), and 130 if it was interrupted.
`

export interface TestCommand {
  readonly name: 'test'
  readonly issuer: string
  readonly config: string
  readonly only: readonly string[] | undefined
  readonly noSkips: boolean
  readonly reports: Readonly<Record<'junit' | 'json' | 'html', string | undefined>>
}

export type Command = TestCommand | { readonly name: 'help' | 'list' }

/** @throws CouldNotRun that says how to call it */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args)
  if (values.help) return { name: 'help' }
  if (values.list) return { name: 'list' }
  const [issuer, ...others] = positionals
  if (issuer === undefined || others.length > 0) throw new CouldNotRun('name one issuer, a URL')
  const protocol = URL.parse(issuer)?.protocol
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new CouldNotRun(`${issuer} is no URL of an issuer, such as https://id.example.com/oidc`)
  }
  if (values.config === undefined) throw new CouldNotRun('--config is missing')
  const { config, junit, json, html } = values
  const only = values.only?.split(',').map((number) => number.trim().toUpperCase())
  const noSkips = values['no-skips']
  return { name: 'test', issuer, config, only, noSkips, reports: { junit, json, html } }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        only: { type: 'string' },
        'no-skips': { type: 'boolean', default: false },
        junit: { type: 'string' },
        json: { type: 'string' },
        html: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new CouldNotRun(error instanceof Error ? error.message : String(error))
  }
}
