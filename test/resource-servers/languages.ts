import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
/** Debian's own, which has Debian's packages. */
const PYTHON = '/usr/bin/python3'

type Command = [string, ...string[]]

/** A server with the status check, in one language. */
export interface Language {
  readonly file: string
  /** What the test needs, as a person is told. */
  readonly needs: string
  /** Succeeds where it is there. */
  readonly probe: Command
  /** How the file is run. */
  command(file: string): Command | Promise<Command>
  /**
   * The constants of the file that say when keys, and a list, are fetched again. A test sets them to
   * 0 instead of waiting.
   */
  readonly ages: readonly [keys: RegExp, list: RegExp]
}

/** The servers that look at the status. */
export const LANGUAGES: readonly Language[] = [
  {
    file: 'jose.mjs',
    needs: 'Node',
    probe: [process.execPath, '--version'],
    command: (file) => [process.execPath, file],
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
    needs: 'Go: golang-go of Debian',
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
    needs: 'Java: default-jdk-headless of Debian',
    probe: ['javac', '-version'],
    async command(file) {
      const folder = join(file, '..')
      await execute('javac', ['-d', folder, file])
      return ['java', '-cp', folder, 'OrdersApi']
    },
    ages: [/(?<=\bKEYS_SECONDS = )60\b/, /(?<=\bLIST_SECONDS = )5\b/],
  },
]

/** Whether this machine has the language. */
export async function isInstalled({ probe: [program, ...rest] }: Language): Promise<boolean> {
  return await execute(program, rest).then(
    () => true,
    () => false,
  )
}
