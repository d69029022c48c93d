import { steps } from './commands.ts'
import type { Config } from './config.ts'
import { DEMO } from './config-production.ts'
import { allPeople } from './people.ts'

const STRICT = 'strict: support staff who signed in of late must act, with reason and ticket'

/** The text that `npm start` prints. Lines that begin with two spaces are shell commands. */
export function banner(config: Config, baseUrl: string): string {
  const parts = [whatIsThere(config, baseUrl)]
  if (!config.production) {
    parts.push(howToSignIn(config, baseUrl))
    for (const { title, commands } of steps(config, baseUrl)) {
      parts.push(`# ${title}\n${commands}`.replaceAll(/^/gm, '  '))
    }
  }
  parts.push('Ctrl-C ends it.')
  return `${parts.join('\n\n')}\n`
}

function whatIsThere(config: Config, baseUrl: string): string {
  return `The example provider is running: ${baseUrl}

Support console  ${baseUrl}/console
Customer account ${baseUrl}/account
OpenID provider  ${baseUrl}/oidc
Management API   POST ${baseUrl}/api/subject-tokens
Support backend  POST ${baseUrl}/support/impersonations
Orders API       GET ${baseUrl}/orders
Storage          ${config.storage.label}
Rules            ${config.strict ? STRICT : 'as they come; STRICT=1 shows stricter ones'}
Audit            one line of JSON here for whatever happens, and kept in the storage`
}

function howToSignIn(config: Config, baseUrl: string): string {
  const password =
    config.demoPassword === DEMO.DEMO_PASSWORD
      ? `the password ${DEMO.DEMO_PASSWORD}`
      : 'the password in DEMO_PASSWORD'
  const people = allPeople().map(({ id, role }) => `${id} (${role})`)
  return `Sign in with ${password} as ${people.join(', ')}.
In a browser: ${baseUrl}/console
Or in bash, with these commands, block by block or all at once:`
}
