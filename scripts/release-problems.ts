import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Stands for the address of the repository on the web, until `npm run release` sets it: in every
 * package.json, and in links that leave a tarball. `.invalid` belongs to nobody: RFC 2606 §2.
 */
export const PLACEHOLDER = 'https://set-before-release.invalid/owner/repository'

/** The members of package.json that a release looks at. */
export interface ReleaseManifest {
  readonly name: string
  readonly version: string
  /** Is not published. */
  readonly private?: boolean
  /** The folders of the other packages. */
  readonly workspaces?: readonly string[]
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly homepage?: string
  readonly bugs?: { readonly url?: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Release {
  readonly plugin: ReleaseManifest
  /** The other packages, by the folder that each is in. */
  readonly others: Readonly<Record<string, ReleaseManifest>>
  /** The tag, where there is one: `v1.2.3`. */
  readonly tag?: string | undefined
  /** Where GitHub builds it: `owner/name`. npm refuses the provenance of another repository. */
  readonly builtIn?: string | undefined
}

/** The packages of a repository that are published. */
export async function readRelease(
  root = new URL('../', import.meta.url),
): Promise<Pick<Release, 'plugin' | 'others'>> {
  const read = async (path: string): Promise<ReleaseManifest> =>
    JSON.parse(await readFile(new URL(path, root), 'utf8'))
  const plugin = await read('package.json')
  const others: Record<string, ReleaseManifest> = {}
  for (const folder of plugin.workspaces ?? []) {
    const manifest = await read(`${folder}/package.json`)
    if (!manifest.private) others[folder] = manifest
  }
  return { plugin, others }
}

/**
 * The files that git knows, and in which {@link PLACEHOLDER} stands. The tools that look for it, and
 * their tests, name it for ever.
 */
export async function filesWithPlaceholder(root: string): Promise<string[]> {
  const search = ['grep', '-lF', PLACEHOLDER, '--', '.', ...TOOLS.map((file) => `:!${file}`)]
  const found = await promisify(execFile)('git', search, { cwd: root }).catch(
    (failure: { code: unknown; stdout: string }) => {
      // git grep ends with 1 where it finds nothing.
      if (failure.code === 1) return failure
      throw failure
    },
  )
  return found.stdout.split('\n').filter(Boolean)
}

/**
 * A document from the release on: `<!-- until the release -->` begins what goes then, and
 * `<!-- from the release on … -->` is what comes in its place.
 */
export function fromReleaseOn(text: string): string {
  return text.replaceAll(
    /<!-- until the release -->\n.*?<!-- from the release on\n(.*?)-->\n/gs,
    '$1',
  )
}

const TOOLS = ['scripts/release-problems.ts', 'test/release.test.ts']

/** Why these packages cannot be published: sentences for the owner, none where they can. */
export function releaseProblems({ plugin, others, tag, builtIn }: Release): string[] {
  const problems: string[] = []
  const check = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(problem)
  }
  for (const { name, version, repository, homepage, bugs } of [plugin, ...Object.values(others)]) {
    for (const [member, url] of Object.entries({
      'repository.url': repository?.url,
      homepage,
      'bugs.url': bugs?.url,
    })) {
      check(isSet(url), `${name}: the owner has not set ${member} in package.json`)
    }
    check(
      tag === undefined || tag === `v${version}`,
      `${name}: ${version} is not of the tag ${tag}`,
    )
    check(
      builtIn === undefined || repository?.url === `git+https://github.com/${builtIn}.git`,
      `${name}: repository.url must be git+https://github.com/${builtIn}.git`,
    )
  }
  for (const [folder, { name, version, repository, peerDependencies }] of Object.entries(others)) {
    check(
      version === plugin.version,
      `${name}: its version is not that of ${plugin.name}, ${plugin.version}`,
    )
    check(
      [undefined, plugin.version].includes(peerDependencies?.[plugin.name]),
      `${name}: the peer dependency ${plugin.name} must be ${plugin.version}`,
    )
    check(repository?.directory === folder, `${name}: repository.directory must be ${folder}`)
  }
  return problems
}

function isSet(url = ''): boolean {
  const parsed = URL.parse(url.replace(/^git\+/, ''))
  return parsed?.protocol === 'https:' && !url.includes(PLACEHOLDER)
}
