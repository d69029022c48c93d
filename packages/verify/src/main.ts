import { open, readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { reasonOf } from './format/reason.ts'
import { escapeControls } from './format/text.ts'
import { Broken } from './verify/broken.ts'
import { readLines } from './verify/lines.ts'
import type { Verification } from './verify/result.ts'
import { summaryOf } from './verify/summary.ts'
import { verify } from './verify/verification.ts'

const HELP_TEXT = `Verifies the audit of a support console: that no entry was changed, added, moved or removed, and that
every impersonation is the sum of its entries.

  oidc-provider-impersonation-verify <entries.jsonl> --jwks <url or file> [options]

<entries.jsonl>       The export "Everything, for verification" of the console's audit, or that of one
                      impersonation: "Prove this" on its page.
--jwks <url or file>  The public keys of the provider, as its jwks_uri has them. A file keeps the
                      keys that the provider no longer publishes. It can be given several times.
--issuer <url>        The issuer that must have signed. Without it, any whose key is among the keys.
--seal <file>         Seals that were kept elsewhere, or an earlier export. They prove that nothing
                      was cut off and made again since. It can be given several times.
--impersonation=<id>  Prints the entries of this impersonation in words, too, and what is proved of
                      them. Without an entry of it in the file, the exit code is 2.
--help                This text.

The exit code is 0 if the audit is whole, 1 if it is not (what is broken is named), and 2 if it could
not be verified. It needs about 200 MB of memory, and as much more for each million impersonations.

What no verification can find:

- A person who can write to the storage can remove what is not sealed yet, or move it. The command says how many
  entries that are, and how old. If the provider can sign, none is older than two minutes.
- That person can cut off the newest seals with their entries. A seal that was kept elsewhere finds it.
- That person can remove what is nearly as old as keepFor, up to ten minutes early.
- If a person has the signing key as well, only a seal that was kept elsewhere before finds it.
- If a person has a cookie key as well, that person can add entries.
`

/** How long the keys may take to arrive, in milliseconds. */
const KEYS_TIMEOUT = 10_000

/** How much of a file is read at once, in bytes. */
const READ_AT_ONCE = 524_288

/** The command was called in a wrong way, or something that it needs is not there. */
class Unusable extends Error {}

interface Command {
  readonly file: string
  readonly jwks: readonly string[]
  readonly issuer: string | undefined
  readonly seals: readonly string[]
  readonly impersonation: string | undefined
}

function parseCommand(args: readonly string[]): Command | 'help' {
  const { values, positionals } = parsed(args)
  if (values.help) return 'help'
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new Unusable('name one file with entries')
  if (values.jwks.length === 0) throw new Unusable('--jwks is missing')
  const { jwks, issuer, seal: seals, impersonation } = values
  return { file, jwks, issuer, seals, impersonation }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        issuer: { type: 'string' },
        jwks: { type: 'string', multiple: true, default: [] },
        seal: { type: 'string', multiple: true, default: [] },
        impersonation: { type: 'string' },
      },
    })
  } catch (error) {
    throw new Unusable(reasonOf(error))
  }
}

async function keysFrom(sources: readonly string[]): Promise<JSONWebKeySet> {
  const sets = await Promise.all(
    sources.map(async (source) => {
      const set: unknown = JSON.parse(await textFrom(source))
      if (isKeySet(set)) return set.keys
      throw new Unusable(`${source} has no key set`)
    }),
  )
  return { keys: sets.flat() }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys)
}

async function textFrom(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readFile(source, 'utf8')
  const response = await fetch(source, { signal: AbortSignal.timeout(KEYS_TIMEOUT) })
  if (response.ok) return response.text()
  throw new Unusable(`${source} answered ${response.status}`)
}

/** The seals in a file: one on each line, as itself or as an export has it. */
async function sealsFrom(name: string) {
  const found: { jws: string; name: string }[] = []
  for await (const lines of readLines(readParts(name, '\n'))) {
    for (const { text, number } of lines) {
      if (text.trim() === '') continue
      const value: unknown = text.startsWith('{') ? JSON.parse(text) : { seal: text.trim() }
      if (typeof value !== 'object' || value === null) continue
      if ('seal' in value && typeof value.seal === 'string') {
        found.push({ jws: value.seal, name: `${name}, line ${number}` })
      }
    }
  }
  if (found.length === 0) throw new Unusable(`${name} has no seal`)
  return found
}

/**
 * The parts of a file, each in the place of the one before.
 *
 * @param end is added: a file of one line may lack its line feed
 */
async function* readParts(name: string, end = ''): AsyncGenerator<Buffer> {
  await using file = await open(name)
  const buffer = Buffer.allocUnsafe(READ_AT_ONCE)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, READ_AT_ONCE)
    if (bytesRead === 0) break
    yield buffer.subarray(0, bytesRead)
  }
  yield Buffer.from(end)
}

/** How the exports of what is filtered begin: CSV and JSON Lines. */
const FILTERED_EXPORT = /^(?:\ufeffid,|\{"id":)/

async function refuseFilteredExport(file: string): Promise<void> {
  for await (const part of readParts(file)) {
    if (!FILTERED_EXPORT.test(part.toString())) return
    throw new Unusable(
      `${file}: this is not the export for verification. It is Export, Everything, for verification.`,
    )
  }
}

async function run(command: Command): Promise<Verification> {
  const { file, jwks, issuer, seals, impersonation } = command
  const keys = createLocalJWKSet(await keysFrom(jwks))
  const kept = (await Promise.all(seals.map(sealsFrom))).flat()
  await refuseFilteredExport(file)
  const found = await verify({ read: () => readParts(file), keys, issuer, kept, impersonation })
  assertFound(found, command)
  return found
}

/** Where the file is broken, that comes first. */
function assertFound({ only, ofImpersonation }: Verification, { file, impersonation }: Command) {
  if (impersonation === undefined) return
  if (only !== undefined && only !== impersonation) {
    throw new Unusable(
      `${file}: this export proves the impersonation ${only}, and leaves out what was recorded of ${impersonation}`,
    )
  }
  if (ofImpersonation.length > 0) return
  throw new Unusable(`${file}: no entry is of the impersonation ${impersonation}`)
}

function complaintOf({ message, position: { entry, line } }: Broken, file: string): string {
  const where = [
    entry === undefined ? [] : `entry ${entry}`,
    line === undefined ? [] : `line ${line}`,
  ].flat()
  return [`${file}: broken.`, [where.join(', '), message].filter(Boolean).join(': ')]
    .map(escapeControls)
    .join('\n')
}

/** The command, with the arguments of its line. Resolves with its exit code. */
export async function main(
  args: readonly string[],
  { log, error: complain }: Pick<Console, 'error' | 'log'>,
): Promise<number> {
  try {
    const command = parseCommand(args)
    if (command === 'help') {
      log(HELP_TEXT)
      return 0
    }
    try {
      const lines = summaryOf(await run(command), command)
      log(lines.map(escapeControls).join('\n'))
      return 0
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      complain(complaintOf(error, command.file))
      return 1
    }
  } catch (error) {
    complain(escapeControls(reasonOf(error)))
    if (error instanceof Unusable) complain('--help tells more.')
    return 2
  }
}
