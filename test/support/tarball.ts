import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The package as `npm publish` would send it. */
export interface Tarball {
  readonly path: string
  /** What is in it, without the folder `package/`. */
  readonly files: readonly string[]
}

/** Builds the package and packs it into a folder. */
export async function packInto(folder: string): Promise<Tarball> {
  const pack = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: ROOT })
  // What the build prints comes before the report. npm 12 names the reports by package.
  const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))
  const [packed] = Array.isArray(report) ? report : Object.values(report)
  return {
    path: join(folder, packed.filename),
    files: packed.files.map(({ path }: { path: string }) => path),
  }
}

/** Installs packages into a new project, from npm's cache where possible. */
export async function install(project: string, packages: readonly string[]): Promise<void> {
  const command = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', [...command, ...packages], { cwd: project })
}
