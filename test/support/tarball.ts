import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anchorsIn, linksIn } from '../../scripts/markdown-links.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A folder with tarballs of the version that package.json has. Without it they are built and packed. */
const TARBALLS = process.env.TARBALLS

/** The package as `npm publish` would send it. */
export interface Tarball {
  readonly path: string
  /** Its contents, without the folder `package/`. */
  readonly files: readonly string[]
  /** A folder that has the files of the tarball: where it was packed, or unpacked. */
  readonly source: string
}

/**
 * Builds a package and packs it into a folder. It does so in a copy, so that two tests can do it at the
 * same time, and none meets the other's `dist`.
 *
 * @param workspace its folder in the repository: `.` is the plugin
 */
export async function packInto(folder: string, workspace = '.'): Promise<Tarball> {
  if (TARBALLS !== undefined) return unpack(TARBALLS, workspace, folder)
  const copy = join(folder, 'packed-from')
  await copyTracked(copy)
  return pack(join(copy, workspace), folder)
}

/** The files that git knows of, as they are now, once. */
async function copyTracked(to: string): Promise<void> {
  if (await mkdir(to).catch((error: NodeJS.ErrnoException) => error.code === 'EEXIST')) return
  const command = ['ls-files', '-z', '--deduplicate']
  const { stdout } = await run('git', command, { cwd: ROOT, maxBuffer: 2 ** 26 })
  for (const path of stdout.split('\0').filter(Boolean)) {
    if (existsSync(join(ROOT, path))) await cp(join(ROOT, path), join(to, path))
  }
  await linkModules(to)
}

/** Dependencies as they are here; the packages of this repository as they are in the copy. */
async function linkModules(to: string): Promise<void> {
  const modules = join(to, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    const at = join(ROOT, 'node_modules', name)
    const isOurs = name.startsWith('oidc-provider-impersonation')
    await symlink(isOurs ? await readlink(at) : at, join(modules, name))
  }
}

async function pack(source: string, folder: string): Promise<Tarball> {
  const pack = ['pack', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', pack, { cwd: source })
  // The output of the build comes before the report. npm 12 names the reports by package.
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
