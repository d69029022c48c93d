// Writes docs/options.md. Text and examples come from the docstrings, limits and defaults from the
// shapes in the code, messages from the code itself. Run it with `npm run docs:options`.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  resolveOptions as resolveGuardOptions,
  resourceServerShape,
} from '../packages/resource-server/src/options.ts'
import {
  createPostgresAdapter,
  type PostgresAdapterOptions,
} from '../src/adapters/postgres/index.ts'
import { POSTGRES_RULES } from '../src/adapters/postgres/schema.ts'
import { createRedisAdapter, type RedisAdapterOptions } from '../src/adapters/redis/index.ts'
import { REDIS_RULES } from '../src/adapters/redis/server-check.ts'
import { SQLITE_RULES } from '../src/adapters/sqlite/database.ts'
import { createSqliteAdapter, type SqliteAdapterOptions } from '../src/adapters/sqlite/index.ts'
import { parseRecorder, RECORDER_RULES } from '../src/events/emit.ts'
import { impersonationRules, resolveOptions } from '../src/options/defaults.ts'
import { consoleSections } from './console-options.ts'
import { interfacesOf, type Member } from './docstrings.ts'
import { type AnyRule, expression, factsOf, type RuleFacts, type Shape } from './option-samples.ts'

const SOURCES = [
  'src/public/options',
  'src/public/events',
  'src/adapters/redis/index',
  'src/adapters/redis/server-check',
  'src/adapters/sqlite/index',
  'src/adapters/sqlite/database',
  'src/adapters/postgres/index',
  'src/adapters/postgres/schema',
  'packages/resource-server/src/options',
  'packages/resource-server/src/sender/dpop-options',
]
const TARGET = new URL('../docs/options.md', import.meta.url)

const interfaces = interfacesOf(
  ...SOURCES.map((name) => readFileSync(new URL(`../${name}.ts`, import.meta.url), 'utf8')),
)

/** The options of one entry point. */
interface Section {
  readonly title: string
  readonly intro?: string
  readonly root: string
  readonly shape: Shape
  /** The required members, as source code. */
  readonly required: string
  readonly resolve: (options: object) => unknown
}

interface Option extends Member {
  readonly path: readonly string[]
  readonly node: AnyRule
  /** `undefined` for a section of options. */
  readonly rule: RuleFacts | undefined
}

/** The options of each entry point. The values of mistakes are wrong on purpose, so casts hide them from types. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'The provider: `features.impersonation`',
    root: 'ImpersonationOptions',
    shape: impersonationRules,
    required: `enabled: true,
managementApi: {
  resource: 'https://id.example.com/api',
  clients: { issue: ['backend'] },
},`,
    resolve: resolveOptions,
  },
  {
    title: 'The guard of an API: `resourceServer()`',
    root: 'ResourceServerOptions',
    shape: resourceServerShape,
    required: `issuer: 'https://id.example.com/oidc',
audience: 'https://api.example.com',`,
    resolve: (options) => resolveGuardOptions(options as Parameters<typeof resolveGuardOptions>[0]),
  },
  {
    title: 'Storage in PostgreSQL: `createPostgresAdapter()`',
    intro: '`Pool` in the examples is a class of [pg](adapters.md#postgresql).',
    root: 'PostgresAdapterOptions',
    shape: POSTGRES_RULES,
    required: 'pool: new Pool({ query_timeout: 5000 }),',
    resolve: (options) => createPostgresAdapter(options as PostgresAdapterOptions),
  },
  {
    title: 'Storage in Redis: `createRedisAdapter()`',
    root: 'RedisAdapterOptions',
    shape: REDIS_RULES,
    required: 'client: (args) => sentinel.sendCommand(false, args),',
    resolve: (options) => createRedisAdapter(options as RedisAdapterOptions),
  },
  {
    title: 'Storage in SQLite: `createSqliteAdapter()`',
    root: 'SqliteAdapterOptions',
    shape: SQLITE_RULES,
    required: "file: ':memory:',",
    resolve: (options) => createSqliteAdapter(options as SqliteAdapterOptions).close(),
  },
  {
    title: 'An audit before the answer: `recordFirst()`',
    intro:
      'The second argument of [`provider.impersonation.recordFirst(record, options)`](events.md).',
    root: 'RecordFirstOptions',
    shape: RECORDER_RULES,
    required: '',
    resolve: (options) => parseRecorder(async () => {}, options),
  },
]

/** Every option below an interface, with its rule, in the order of the shape. */
function optionsOf(root: string, shape: Shape, above: readonly string[] = []): Option[] {
  const members = interfaces.get(root)
  if (!members) throw new Error(`no source has the interface ${root}`)
  const [documented, known] = [[...members.keys()].sort(), Object.keys(shape).sort()]
  if (String(documented) !== String(known)) {
    throw new Error(`${root} has the members ${documented}, and its shape ${known}`)
  }
  return Object.entries(shape).flatMap(([name, node]) => {
    const member = members.get(name)
    if (!member?.text) throw new Error(`${root}.${name} has no docstring`)
    const path = [...above, name]
    const facts = factsOf(node)
    const rule = facts.type === 'section' ? undefined : facts
    const below = node.of && member.type.split(' | ').find((type) => interfaces.has(type))
    return [
      { ...member, path, node, rule },
      ...(below && node.of ? optionsOf(below, node.of, path) : []),
    ]
  })
}

function defaultOf({ path, rule, tags }: Option): string {
  const told = tags.get('defaultValue') ?? 'required'
  const written = /^`(.*?)`/.exec(told)?.[1]
  if (
    written !== undefined &&
    rule?.default !== undefined &&
    written !== expression(rule.default)
  ) {
    throw new Error(`${path.join('.')}: the docstring says ${written}, and its rule does not`)
  }
  return told.replaceAll('\n', ' ')
}

/** @throws Error unless the docstring of a number has the unit and the limits of the rule */
function requireUnit({ path, rule, text }: Option): void {
  if (rule?.type !== 'integer') return
  const words = text.replaceAll('\n', ' ')
  const unit = / in (seconds|milliseconds|bytes|characters|prior persons|replicas)\b/.exec(
    words,
  )?.[1]
  const bounds = `${rule.min} to ${rule.max}`
  if (!unit || !words.includes(bounds)) {
    throw new Error(`${path.join('.')}: the docstring must say its unit, and ${bounds}`)
  }
}

function values(option: Option): string[] {
  const { rule } = option
  requireUnit(option)
  if (rule?.type !== 'someOf') return []
  return [`**Values:** ${(rule.values ?? []).map((value) => `\`'${value}'\``).join(', ')}`]
}

function described(option: Option): string {
  const { path, rule, text, type, tags } = option
  const heading = `${'#'.repeat(Math.min(path.length + 2, 5))} \`${path.join('.')}\``
  const facts = [`\`${type}\``]
  if (rule) facts.push(...values(option), `**Default:** ${defaultOf(option)}`)
  const see = tags.get('see')
  if (see) facts.push(`**See:** <${see}>`)
  const parts = [heading, text, facts.join(' · ')]
  const example = tags.get('example')
  if (rule?.type === 'other' && !example) throw new Error(`${path.join('.')} needs an @example`)
  // The block of the required ones has the others.
  const isShown = tags.has('defaultValue') || path.length > 1
  if (example && isShown) parts.push(`\`\`\`js\n${within(path.slice(0, -1), example)}\n\`\`\``)
  return parts.join('\n\n')
}

/** Puts the example inside its groups. */
function within(groups: readonly string[], example: string): string {
  return groups.reduceRight(
    (inner, name) => `${name}: {\n${inner.replaceAll(/^(?=.)/gm, '  ')}\n},`,
    `${example},`,
  )
}

/** Makes the page from the current sources. */
export function optionsReference(): string {
  const sections = SECTIONS.map(({ title, intro, root, shape, required }) => {
    const parts = [
      `## ${title}`,
      intro,
      required && `These are required:\n\n\`\`\`js\n${required}\n\`\`\``,
      ...optionsOf(root, shape).map((option) => described(option)),
    ]
    return parts.filter((part) => part).join('\n\n')
  })
  return `# Options

An unknown or wrong option throws a \`TypeError\` at start-up that begins with the path of the option. \`undefined\` means that the option is left out. Put an example beside the required options.

${[...sections, ...consoleSections()].join('\n\n')}
`
}

if (import.meta.main) writeFileSync(TARGET, optionsReference())
