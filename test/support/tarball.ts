import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anchorsIn, linksIn } from '../../scripts/markdown-links.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/**
 * A folder with tarballs of both packages, of the version that package.json has. Without it they are
 * built and packed.
 */
const TARBALLS = process.env.TARBALLS

/** The package as `npm publish` would send it. */
export interface Tarball {
  readonly path: string
  /** What is in it, without the folder `package/`. */
  readonly files: readonly string[]
  /** A folder that has the files of the tarball: where it was packed, or unpacked. */
  readonly source: string
}

/** What the builds and the tarballs need. */
const PACKED = [
  'console',
  'docs',
  'examples',
  'scripts',
  'src',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'package.json',
  'tsconfig.build.json',
  'tsconfig.json',
]

/**
 * Builds the plugin and packs it into a folder. It does so in a copy, because `prepack` changes
 * package.json for a moment, and other processes may start the example meanwhile.
 */
export async function packInto(folder: string): Promise<Tarball> {
  if (TARBALLS !== undefined) return unpack(TARBALLS, '.', folder)
  const source = join(folder, 'packed-from')
  await mkdir(source)
  for (const name of PACKED) await cp(join(ROOT, name), join(source, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'))
  return pack(source, folder)
}

/** As {@link packInto}, the console, where the plugin was packed before. */
export function packConsoleInto(folder: string): Promise<Tarball> {
  if (TARBALLS !== undefined) return unpack(TARBALLS, 'console', folder)
  return pack(join(folder, 'packed-from', 'console'), folder)
}

/** The suite for other servers. It needs neither of the others. */
export async function packConformanceInto(folder: string): Promise<Tarball> {
  if (TARBALLS !== undefined) return unpack(TARBALLS, 'conformance', folder)
  const copy = join(folder, 'conformance-packed-from')
  await mkdir(copy)
  for (const name of ['conformance', 'scripts', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return pack(join(copy, 'conformance'), folder)
}

async function pack(source: string, folder: string): Promise<Tarball> {
  const pack = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: source })
  // What the build prints comes before the report. npm 12 names the reports by package.
  const report = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))
  const [packed] = Array.isArray(report) ? report : Object.values(report)
  return {
    path: join(folder, packed.filename),
    files: packed.files.map(({ path }: { path: string }) => path),
    source,
  }
}

async function unpack(tarballs: string, workspace: string, folder: string): Promise<Tarball> {
  const manifest = await readFile(join(ROOT, workspace, 'package.json'), 'utf8')
  const { name, version } = JSON.parse(manifest)
  const path = resolve(tarballs, `${name}-${version}.tgz`)
  const source = join(folder, `unpacked-${name}`)
  await mkdir(source)
  await run('tar', ['-xzf', path, '-C', source, '--strip-components=1'])
  const { stdout } = await run('tar', ['-tzf', path])
  return {
    path,
    files: stdout
      .trim()
      .split('\n')
      .map((file) => file.replace('package/', '')),
    source,
  }
}

/** Installs packages into a new project, from npm's cache where possible. */
export async function install(project: string, packages: readonly string[]): Promise<void> {
  const command = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', [...command, ...packages], { cwd: project })
}

/**
 * Unpacks a tarball beside it, and finds the links of its Markdown that lead neither to the web nor to
 * a file, or a heading, that it has.
 */
export async function findBrokenLinks({ path, files }: Tarball): Promise<string[]> {
  const folder = await mkdtemp(`${path}-`)
  await run('tar', ['-xzf', path, '-C', folder, '--strip-components=1'])
  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const broken: string[] = []
  for (const document of files.filter((file) => file.endsWith('.md'))) {
    for (const link of linksIn(await read(document))) {
      if (link.startsWith('https://')) continue
      const [target = '', anchor] = link.split('#')
      const file = target === '' ? document : posix.join(posix.dirname(document), target)
      const isThere = files.includes(file) || files.some((each) => each.startsWith(`${file}/`))
      const leads = isThere && (anchor === undefined || anchorsIn(await read(file)).has(anchor))
      if (!leads) broken.push(`${document}: ${link}`)
    }
  }
  return broken
}
