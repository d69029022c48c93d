// Prepares a release, and publishes nothing: a release is a tag, and release.yml (RELEASING.md).
import { execFile } from 'node:child_process'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import {
  filesWithPlaceholder,
  fromReleaseOn,
  PLACEHOLDER,
  readRelease,
  releaseProblems,
} from './release-problems.ts'

interface Packed {
  readonly name: string
  readonly version: string
  readonly size: number
  readonly unpackedSize: number
  readonly integrity: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

const HELP = `npm run release -- <what>

  --dry-run [--files]   Shows every package as npm pack makes it, and what is in the way of a release.
  --repository <url>    Sets the address of the repository on the web, such as
                        https://github.com/acme/impersonation, in every file that git knows, puts
                        what documents say from the release on in place of what they say until
                        then, and commits that. The work tree must be clean.
  --help                This text.

A release itself is a tag: RELEASING.md.
`

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    files: { type: 'boolean' },
    repository: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(HELP)
else if (values['dry-run']) await showRelease()
else if (values.repository !== undefined) await setRepository(values.repository)
else {
  console.error(HELP)
  process.exitCode = 2
}

/** Puts the address where the placeholder stands: in every package.json, and in links of documents. */
async function setRepository(address: string): Promise<void> {
  const origin = address.replace(/(?:\.git)?\/*$/, '')
  if (URL.parse(origin)?.protocol !== 'https:') {
    throw new TypeError(`--repository must be an https URL, and is ${address}`)
  }
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout
  if ((await git('status', '--porcelain')) !== '') {
    throw new Error('the work tree has changes: commit them first')
  }
  const files = await filesWithPlaceholder(ROOT)
  if (files.length === 0) throw new Error('the repository is set already')
  for (const file of files) {
    const text = await readFile(join(ROOT, file), 'utf8')
    await writeFile(join(ROOT, file), fromReleaseOn(text.replaceAll(PLACEHOLDER, origin)))
  }
  await git('commit', '--all', '--message', `chore: set the repository to ${origin}`)
  console.log(`${files.length} files name ${origin} now, in one commit.`)
}

async function showRelease(): Promise<void> {
  const release = await readRelease()
  const folder = await mkdtemp(join(tmpdir(), 'impersonation-release-'))
  try {
    // In a copy: other processes may read `dist`.
    const source = join(folder, 'source')
    await copyTracked(source)
    for (const path of ['.', ...Object.keys(release.others)]) {
      printPacked(await pack(join(source, path), folder))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const problems = releaseProblems(release)
  console.log(problems.length === 0 ? 'Nothing is in the way.' : 'In the way:')
  for (const problem of problems) console.log(`- ${problem}`)
}

/** What git knows of, as it is now. */
async function copyTracked(to: string): Promise<void> {
  const options = { cwd: ROOT, maxBuffer: 2 ** 26 }
  const { stdout } = await run('git', ['ls-files', '-z', '--deduplicate'], options)
  await mkdir(to)
  for (const path of stdout.split('\0').filter(Boolean)) {
    await cp(join(ROOT, path), join(to, path)).catch(ignoreMissing)
  }
  await linkModules(join(to, 'node_modules'))
}

/** The packages of this repository are those of the copy; all others are those that are installed. */
async function linkModules(to: string): Promise<void> {
  const from = join(ROOT, 'node_modules')
  await mkdir(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const path = join(from, entry.name)
    // npm links the packages of this repository relatively, so the same link leads into the copy.
    await symlink(entry.isSymbolicLink() ? await readlink(path) : path, join(to, entry.name))
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

async function pack(cwd: string, destination: string): Promise<Packed> {
  const command = ['pack', '--json', '--pack-destination', destination]
  const { stdout } = await run('npm', command, { cwd, maxBuffer: 2 ** 26 })
  // What the build prints comes before the report. npm 12 names the reports by package.
  const report: Packed[] | Record<string, Packed> = JSON.parse(
    stdout.slice(stdout.search(/^[[{]/m)),
  )
  const [packed] = Object.values(report)
  if (!packed) throw new Error(`npm pack reports nothing in ${cwd}`)
  return packed
}

function printPacked({ name, version, size, unpackedSize, integrity, files }: Packed): void {
  console.log(`${name}@${version}`)
  console.log(`  ${inKilobytes(size)} packed, ${inKilobytes(unpackedSize)} unpacked, ${integrity}`)
  const folders = new Map<string, { count: number; size: number }>()
  for (const file of files) {
    const [first = '', ...rest] = file.path.split('/')
    const folder = rest.length === 0 ? first : `${first}/`
    const before = folders.get(folder) ?? { count: 0, size: 0 }
    folders.set(folder, { count: before.count + 1, size: before.size + file.size })
  }
  for (const [folder, { count, size }] of folders) {
    const number = folder.endsWith('/') ? `${count} files, ` : ''
    console.log(`  ${folder.padEnd(16)} ${number}${inKilobytes(size)}`)
  }
  if (values.files) for (const { path } of files) console.log(`    ${path}`)
  console.log()
}

function inKilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`
}
