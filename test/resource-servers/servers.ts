import { execFile } from 'node:child_process'
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Command, launch, type Program } from '../support/program.ts'
import { type ApacheModule, runApache } from './apache.ts'
import type { Keys } from './jwks.ts'

const execute = promisify(execFile)
/** The examples that docs/other-languages.md links under "Servers to copy". */
export const EXAMPLES = join(import.meta.dirname, '../../examples/resource-servers')
/** Debian's own, which has Debian's packages. */
const PYTHON = '/usr/bin/python3'

/** A server of examples/resource-servers. */
export interface Server {
  readonly file: string
  /** The software that the test needs, as a person is told. */
  readonly needs: string
  /** Succeeds if it is there. */
  readonly probe: Command
  /** Compiles the file if it has to, and returns the command that runs it. */
  command?(file: string): Command | Promise<Command>
  /**
   * The constants of the file with the age at which keys, and a list, are fetched again. A test sets
   * them to 0 instead of waiting. Servers without them do not look at the status.
   */
  readonly ages?: readonly [keys: RegExp, list: RegExp]
  readonly apache?: ApacheModule
}

const onNode = (file: string): Server => ({
  file,
  needs: 'Node',
  probe: [process.execPath, '--version'],
  command: (path) => [process.execPath, path],
})

const onApache = (file: string, apache: ApacheModule): Server => ({
  file,
  needs: `apache2 and libapache2-mod-${apache.name.replace('_', '-')} of Debian`,
  probe: ['test', '-e', `/usr/lib/apache2/modules/mod_${apache.name}.so`],
  apache,
})

export const SERVERS: readonly Server[] = [
  onNode('express-oauth2-jwt-bearer.mjs'),
  onNode('fastify-jwt.mjs'),
  onNode('hono-jwk.mjs'),
  onNode('aws-jwt-verify.mjs'),
  {
    ...onNode('jose.mjs'),
    ages: [/(?<=\bKEYS_MS = )60_000\b/, /(?<=\bLIST_MS = )5000\b/],
  },
  {
    file: 'authlib_flask.py',
    needs: 'python3-authlib, python3-flask and python3-jwt of Debian',
    probe: [PYTHON, '-c', 'import authlib, flask, jwt'],
    command: (file) => [PYTHON, file],
    ages: [/(?<=\bKEYS_SECONDS = )60\b/, /(?<=\bLIST_SECONDS = )5\b/],
  },
  {
    file: 'orders.go',
    needs: 'golang-go of Debian',
    probe: ['go', 'version'],
    async command(file) {
      const built = file.replace('.go', '')
      await execute('go', ['build', '-o', built, file])
      return [built]
    },
    ages: [/(?<=\bkeysFor {4}= )60\b/, /(?<=\blistFor {4}= )5\b/],
  },
  {
    file: 'OrdersApi.java',
    needs: 'default-jdk-headless of Debian',
    probe: ['javac', '-version'],
    async command(file) {
      const folder = join(file, '..')
      await execute('javac', ['-d', folder, file])
      return ['java', '-cp', folder, 'OrdersApi']
    },
    ages: [/(?<=\bKEYS_SECONDS = )60\b/, /(?<=\bLIST_SECONDS = )5\b/],
  },
  onApache('mod_auth_openidc.conf', { name: 'auth_openidc', claims: 'oidc_claim', denial: 403 }),
  onApache('mod_oauth2.conf', { name: 'oauth2', claims: 'oauth2_claim', denial: 401 }),
]

/** Returns whether this machine has the software. */
export async function isInstalled({ probe: [program, ...rest] }: Server): Promise<boolean> {
  return await execute(program, rest).then(
    () => true,
    () => false,
  )
}

/** Starts a server for the tokens of an issuer. */
export type Start = (issuer: string, audience: string, keys?: Keys) => Promise<Program>

/**
 * Copies a server into a folder, as a user does, and compiles it.
 *
 * @param isHasty keys and lists are old at once, so that a request meets none that happens to be fresh
 */
export async function prepare(
  { file, command, ages, apache }: Server,
  folder: string,
  isHasty = false,
): Promise<Start> {
  const copy = join(folder, file)
  await copyFile(join(EXAMPLES, file), copy)
  if (apache) {
    return (issuer, audience, keys) => runApache(folder, apache, issuer, audience, keys, copy)
  }
  await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'))
  if (isHasty) {
    let text = await readFile(copy, 'utf8')
    for (const age of ages ?? []) {
      if (!age.test(text)) throw new Error(`${file} has no constant as in ${age}`)
      text = text.replace(age, '0')
    }
    await writeFile(copy, text)
  }
  const started = await command?.(copy)
  if (!started) throw new Error(`${file} cannot be run`)
  return async (ISSUER, AUDIENCE, keys) =>
    launch(started, {
      ISSUER,
      AUDIENCE,
      ...(file === 'aws-jwt-verify.mjs' &&
        keys && { JWKS_URI: keys.uri, NODE_EXTRA_CA_CERTS: keys.certificate }),
    })
}
