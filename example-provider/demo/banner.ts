import { people } from '../accounts.ts'
import type { Config } from '../config.ts'
import { steps } from './commands.ts'
import { publicPassword } from './secrets.ts'

/**
 * The text that `npm start` prints: the links first and last. Lines that begin with two spaces are
 * shell commands.
 */
export function banner(
  config: Config,
  url: string,
  { commands, shopUrl }: { readonly commands: boolean; readonly shopUrl: string },
): string {
  const links = `Support console  ${url}/console
Customer account ${url}/account
Shop             ${shopUrl}/`
  const parts = [
    `The example provider is running: ${url}\nFive stories to play are there.`,
    `${links}\n${others(config, url)}`,
  ]
  if (!config.production) parts.push(howToSignIn(config))
  if (commands && !config.production) {
    parts.push('In bash, block by block or all at once:')
    for (const step of steps(config, url)) {
      parts.push(`# ${step.title}\n${step.commands}`.replaceAll(/^/gm, '  '))
    }
    parts.push(links)
  } else if (!config.production) {
    parts.push('The same as commands to paste: npm start -- --commands')
  }
  return `${parts.join('\n\n')}\n`
}

function others(config: Config, url: string): string {
  const strict = 'strict: support staff who signed in of late must act, with reason and ticket'
  return `OpenID provider  ${url}/oidc
Management API   POST ${url}/api/subject-tokens
Support backend  POST ${url}/support/impersonations
Orders API       GET ${url}/orders
Storage          ${config.storage.label}
Rules            ${config.strict ? strict : 'as they come; STRICT=1 shows stricter ones'}
Audit            one line of JSON here for whatever happens, and kept in the storage`
}

function howToSignIn(config: Config): string {
  const password = publicPassword(config)
  const shown = password ? `the password ${password}` : 'the password in DEMO_PASSWORD'
  const names = people.all().map(({ id, role }) => `${id} (${role})`)
  return `Sign in with ${shown} as ${names.join(', ')}.
An audit with a year in it: npm start -- --with-history`
}
