// Exits with code 1 if the packages cannot be published as they are, and prints why. Runs before
// `npm publish`, and in release.yml:
//   node scripts/check-release.ts [tag]
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/**
 * Stands for the address of the repository on the web, until `npm run release` sets it: in every
 * package.json, and in links that leave a tarball. `.invalid` belongs to nobody: RFC 2606 §2.
 */
export const PLACEHOLDER = 'https://set-before-release.invalid/owner/repository'

/** Files that name the placeholder for ever. */
const TOOLS = ['scripts/check-release.ts', 'test/release.test.ts']

/** The members of package.json that a release looks at. */
export interface ReleaseManifest {
  readonly name: string
  readonly version: string
  /** Is not published. */
  readonly private?: boolean
  /** The folders of the other packages. */
  readonly workspaces?: readonly string[]
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The packages that are published, by their folder. The plugin is `.`, and the first. */
export type Packages = Readonly<Record<string, ReleaseManifest>>

export function readPackages(): Packages {
  const read = (folder: string): [string, ReleaseManifest] => [
    folder,
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')),
  ]
  const plugin = read('.')
  const others = (plugin[1].workspaces ?? []).map(read)
  return Object.fromEntries([plugin, ...others].filter(([, manifest]) => !manifest.private))
}

/** Lists the files that git knows and that contain {@link PLACEHOLDER}. */
export function filesWithPlaceholder(): string[] {
  return execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && !TOOLS.includes(file))
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(PLACEHOLDER))
}

/**
 * Lists why these packages cannot be published.
 *
 * @param tag of the release, such as `v1.2.3`
 * @param builtIn the repository on GitHub: npm refuses the provenance of another one
 */
export function releaseProblems(packages: Packages, tag?: string, builtIn?: string): string[] {
  const problems: string[] = []
  const plugin = packages['.']
  for (const [folder, manifest] of Object.entries(packages)) {
    const { name, version, repository, peerDependencies } = manifest
    const check = (isRight: boolean, problem: string) => {
      if (!isRight) problems.push(`${name}: ${problem}`)
    }
    check([undefined, `v${version}`].includes(tag), `${version} is not of the tag ${tag}`)
    check(version === plugin?.version, `its version is not ${plugin?.version}, as the plugin's`)
    const peer = peerDependencies?.[String(plugin?.name)]
    check(
      [undefined, version].includes(peer),
      `the peer dependency on the plugin is not ${version}`,
    )
    check([undefined, folder].includes(repository?.directory), 'repository.directory is wrong')
    const url = `git+https://github.com/${builtIn}.git`
    check(builtIn === undefined || repository?.url === url, `repository.url must be ${url}`)
  }
  return problems
}

if (import.meta.main) {
  const problems = [
    ...releaseProblems(readPackages(), process.argv[2], process.env.GITHUB_REPOSITORY),
    ...filesWithPlaceholder().map((file) => `${file} has ${PLACEHOLDER}: RELEASING.md sets it`),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}
