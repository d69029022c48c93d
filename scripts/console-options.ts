// Writes docs/console-options.md from the docstrings of the console's options. Run it with
// `npm run docs:options`.
import { readFileSync, writeFileSync } from 'node:fs'
import { interfacesOf, type Member } from './docstrings.ts'

const SOURCE = new URL('../packages/console/src/', import.meta.url)
const TARGET = new URL('../docs/console-options.md', import.meta.url)

/** The options of one function, or the members of one object among them. */
export interface ConsoleSection {
  readonly title: string
  readonly about: string
  /** The interface, and the file that has it. */
  readonly root: string
  readonly file: string
}

export const CONSOLE_SECTIONS: readonly ConsoleSection[] = [
  {
    title: 'supportConsole()',
    about: 'The second argument of `supportConsole(provider, options)`.',
    root: 'SupportConsoleOptions',
    file: 'options.ts',
  },
  {
    title: 'ticket',
    about: 'The option `ticket` of `supportConsole()`.',
    root: 'TicketOptions',
    file: 'options.ts',
  },
  {
    title: 'account',
    about: 'The option `account` of `supportConsole()`.',
    root: 'AccountOptions',
    file: 'options.ts',
  },
  {
    title: 'applications',
    about: 'Each element of the option `applications` of `supportConsole()`.',
    root: 'Application',
    file: 'web/applications.ts',
  },
  {
    title: 'A customer',
    about: 'What `customers.get` answers, and `customers.search` in a list.',
    root: 'Customer',
    file: 'web/customer-directory.ts',
  },
  {
    title: 'brand',
    about: 'The option `brand` of `supportConsole()`.',
    root: 'Brand',
    file: 'web/brand.ts',
  },
  {
    title: 'notices',
    about:
      'The option `notices` of `supportConsole()`. [Notices](notices.md) shows how you set them up. Give either `transport` and `from`, or `send`.',
    root: 'NoticesOptions',
    file: 'features/notices/server/notice.ts',
  },
  {
    title: 'createPermits()',
    about: 'The argument of `createPermits(options)`. [Approvals](approvals.md) explains them.',
    root: 'PermitsOptions',
    file: 'features/permits/server/options.ts',
  },
  {
    title: 'standing',
    about: 'The option `standing` of `createPermits()`.',
    root: 'StandingOptions',
    file: 'features/permits/server/options.ts',
  },
  {
    title: 'createPostgresAudit()',
    about: 'From `oidc-provider-impersonation-console/audit/postgres`, for PostgreSQL 12 or later.',
    root: 'PostgresAuditOptions',
    file: 'ledger/stores/postgres/index.ts',
  },
  {
    title: 'createSqliteAudit()',
    about: 'From `oidc-provider-impersonation-console/audit/sqlite`, for one machine.',
    root: 'SqliteAuditOptions',
    file: 'ledger/stores/sqlite/index.ts',
  },
]

/** The members of a section, in the order of the source. */
export function membersOf({ root, file }: ConsoleSection): readonly Member[] {
  const members = interfacesOf(readFileSync(new URL(file, SOURCE), 'utf8')).get(root)
  if (!members) throw new Error(`${file} has no interface ${root}`)
  return [...members.values()]
}

/** The text of a docstring on one line. A line break in it is only for the source. */
const onOneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ').trim()

function rowOf(section: ConsoleSection, member: Member): string {
  const { name, text, isOptional, tags } = member
  const told = tags.get('defaultValue')
  if (!text || (told !== undefined) !== isOptional) {
    throw new Error(
      `${section.root}.${name} needs a docstring, and @defaultValue if and only if it may be left out`,
    )
  }
  return `### \`${name}\`\n\n${onOneLine(text)}\n\n**Default:** ${onOneLine(told ?? 'none. The option is required.')}`
}

/** Makes the page from the current sources. */
export function consoleOptionsReference(): string {
  const anchorOf = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  const contents = CONSOLE_SECTIONS.map(({ title }) => `- [${title}](#${anchorOf(title)})`)
  const sections = CONSOLE_SECTIONS.map((section) =>
    [
      `## ${section.title}`,
      section.about,
      ...membersOf(section).map((member) => rowOf(section, member)),
    ].join('\n\n'),
  )
  return `# Options of the console

\`npm run docs:options\` writes this page from the source.

If an option is unknown or wrong, the function throws a \`TypeError\` at the start. Its message begins with the path of the option, such as \`options.applications[0].url\`. \`undefined\` means that you leave the option out. The [exported types](https://set-before-release.invalid/owner/repository/blob/main/packages/console/src/index.ts) have the types of all options.

${contents.join('\n')}

${sections.join('\n\n')}
`
}

if (import.meta.main) writeFileSync(TARGET, consoleOptionsReference())
