// Makes the part of docs/options.md that has the console's options, from their docstrings.
import { readFileSync } from 'node:fs'
import { interfacesOf, type Member } from './docstrings.ts'

const SOURCE = new URL('../packages/console/src/', import.meta.url)

/** The options of one function, or the members of one object among them. */
export interface ConsoleSection {
  readonly title: string
  readonly about?: string
  /** The interface, and the file that has it. */
  readonly root: string
  readonly file: string
}

export const CONSOLE_SECTIONS: readonly ConsoleSection[] = [
  {
    title: 'The console: `supportConsole()`',
    root: 'SupportConsoleOptions',
    file: 'options.ts',
  },
  {
    title: '`ticket` of `supportConsole()`',
    root: 'TicketOptions',
    file: 'web/ticket.ts',
  },
  {
    title: '`account` of `supportConsole()`',
    root: 'AccountOptions',
    file: 'web/settings.ts',
  },
  {
    title: '`applications` of `supportConsole()`',
    about: 'Each element of the list.',
    root: 'Application',
    file: 'web/applications.ts',
  },
  {
    title: '`customers` of `supportConsole()`',
    about: 'A customer, as `get` answers one, and `search` a list of them.',
    root: 'Customer',
    file: 'web/customer-directory.ts',
  },
  {
    title: '`brand` of `supportConsole()`',
    root: 'Brand',
    file: 'web/brand.ts',
  },
  {
    title: '`notices` of `supportConsole()`',
    about: 'Give either `transport` and `from`, or `send` ([notices](notices.md)).',
    root: 'NoticesOptions',
    file: 'features/notices/server/notice.ts',
  },
  {
    title: 'Approvals: `createPermits()`',
    about: 'The argument of `createPermits(options)`, for [approvals](approvals.md).',
    root: 'PermitsOptions',
    file: 'features/permits/server/options.ts',
  },
  {
    title: '`standing` of `createPermits()`',
    root: 'StandingOptions',
    file: 'features/permits/server/options.ts',
  },
  {
    title: 'The audit in PostgreSQL: `createPostgresAudit()`',
    about: 'From `oidc-provider-impersonation-console/audit/postgres`, for PostgreSQL 12 or later.',
    root: 'PostgresAuditOptions',
    file: 'ledger/stores/postgres/index.ts',
  },
  {
    title: 'The audit in SQLite: `createSqliteAudit()`',
    about: 'From `oidc-provider-impersonation-console/audit/sqlite`, for one machine.',
    root: 'SqliteAuditOptions',
    file: 'ledger/stores/sqlite/index.ts',
  },
  {
    title: 'Both audits',
    root: 'KeepingOptions',
    file: 'ledger/stores/keeping-options.ts',
  },
]

/** The members of a section, in the order of the source. Inherited members have their own section. */
export function membersOf({ root, file }: ConsoleSection): readonly Member[] {
  const members = interfacesOf(readFileSync(new URL(file, SOURCE), 'utf8')).get(root)
  if (!members) throw new Error(`${file} has no interface ${root}`)
  return [...members.values()]
}

/** The text of a docstring on one line. A line break in it is only for the source. */
const onOneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ').trim()

function itemOf(section: ConsoleSection, member: Member): string {
  const { name, text, isOptional, tags } = member
  const told = tags.get('defaultValue')
  if (!text || (told !== undefined) !== isOptional) {
    throw new Error(
      `${section.root}.${name} needs a docstring, and @defaultValue if and only if it may be left out`,
    )
  }
  const value = told === undefined ? '**Required.**' : `**Default:** ${onOneLine(told)}`
  return `- **\`${name}\`**: ${onOneLine(text)} ${value}`
}

/** Makes the sections from the current sources. */
export function consoleSections(): readonly string[] {
  return CONSOLE_SECTIONS.map((section) => {
    const { title, about } = section
    const list = membersOf(section).map((member) => itemOf(section, member))
    return [`## ${title}`, ...(about ? [about] : []), list.join('\n')].join('\n\n')
  })
}
