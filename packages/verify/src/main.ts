import { open, readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createLocalJWKSet, type JSONWebKeySet, type JWK } from 'jose'
import { isPlainObject } from './format/guards.ts'
import { reasonOf } from './format/reason.ts'
import { escapeControls } from './format/text.ts'
import { Broken } from './verify/broken.ts'
import { readLines, SEAL_FORMAT } from './verify/lines.ts'
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
not be verified. It needs about 300 MB of memory, and 200 MB more for each million impersonations.

What no verification can find:

- A person who can write to the storage can remove what is not sealed yet, or move it. The command says how many
  entries that are, and how old. If the provider can sign, none is older than two minutes.
- That person can cut off the newest seals with their entries. A seal that was kept elsewhere finds it.
- That person can remove what is nearly as old as keepFor, up to ten minutes early.
- If a person has the signing key as well, only a seal that was kept elsewhere before finds it.
- If a person has a cookie key as well, that person can add entries.
`

/** Time that the keys may take to arrive, in milliseconds. */
const KEYS_TIMEOUT = 10_000

/** Bytes of a file that are read at once. */
const READ_AT_ONCE = 524_288

type Command = ReturnType<typeof parseCommand>

function parseCommand(args: readonly string[]) {
  const { values, positionals } = parseArgs({
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
  const [file = '', ...others] = positionals
  const { help, jwks, issuer, seal: seals, impersonation } = values
  if (!help && (file === '' || others.length > 0)) throw new Error('name one file with entries')
  if (!help && jwks.length === 0) throw new Error('--jwks is missing')
  return { help, file, jwks, issuer, seals, impersonation }
}

async function keysFrom(source: string): Promise<JWK[]> {
  const set: unknown = JSON.parse(await textFrom(source))
  if (isKeySet(set)) return set.keys
  throw new Error(`${source} has no key set`)
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return isPlainObject(value) && Array.isArray(value.keys)
}

async function textFrom(source: string): Promise<string> {
  if (!/^https?:\/\//i.test(source)) return readFile(source, 'utf8')
  const response = await fetch(source, { signal: AbortSignal.timeout(KEYS_TIMEOUT) })
  if (response.ok) return response.text()
  throw new Error(`${source} answered ${response.status}`)
}

/** The seals in a file: one on each line, as itself or as an export has it. */
async function sealsFrom(name: string) {
  const found: { jws: string; name: string }[] = []
  for await (const lines of readLines(readParts(name, '\n'))) {
    for (const { text, number } of lines) {
      const jws = text.startsWith('{') ? SEAL_FORMAT.exec(text)?.[1] : text.trim()
      if (jws) found.push({ jws, name: `${name}, line ${number}` })
    }
  }
  if (found.length === 0) throw new Error(`${name} has no seal`)
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

/** The beginning of a filtered export, in CSV and in JSON Lines. */
const FILTERED_EXPORT = /^(?:\ufeffid,|\{"id":)/

async function refuseFilteredExport(file: string): Promise<void> {
  for await (const part of readParts(file)) {
    if (!FILTERED_EXPORT.test(part.toString())) return
    throw new Error(
      `${file}: this is not the export for verification. It is Export, Everything, for verification.`,
    )
  }
}

/** The summary of an audit that is whole. @throws Broken */
async function run(command: Command): Promise<string[]> {
  const { file, jwks, issuer, seals, impersonation } = command
  const keys = createLocalJWKSet({ keys: (await Promise.all(jwks.map(keysFrom))).flat() })
  const kept = (await Promise.all(seals.map(sealsFrom))).flat()
  await refuseFilteredExport(file)
  const found = await verify({ read: () => readParts(file), keys, issuer, kept, impersonation })
  const { only = impersonation, ofImpersonation } = found
  if (only !== (impersonation ?? only)) {
    throw new Error(`${file}: this export proves the impersonation ${only}, and no other`)
  }
  if (impersonation === undefined || ofImpersonation.length > 0) return summaryOf(found, command)
  throw new Error(`${file}: no entry is of the impersonation ${impersonation}`)
}

function complaintOf({ message, position }: Broken, file: string): string {
  const where = Object.entries(position).map(([name, number]) => `${name} ${number}`)
  return [`${file}: broken.`, [where.join(', '), message].filter(Boolean).join(': ')]
    .map(escapeControls)
    .join('\n')
}

/** The command, with the arguments of its line. Resolves with its exit code. */
export async function main(
  args: readonly string[],
  { log, error: complain }: Pick<Console, 'error' | 'log'>,
): Promise<number> {
  let file = ''
  try {
    const command = parseCommand(args)
    file = command.file
    log(command.help ? HELP_TEXT : (await run(command)).map(escapeControls).join('\n'))
    return 0
  } catch (error) {
    if (error instanceof Broken) {
      complain(complaintOf(error, file))
      return 1
    }
    complain(`${escapeControls(reasonOf(error))}\n--help tells more.`)
    return 2
  }
}
