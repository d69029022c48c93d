/** The members of package.json that a release looks at. */
export interface ReleaseManifest {
  readonly name: string
  readonly version: string
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly homepage?: string
  readonly bugs?: { readonly url?: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Release {
  readonly plugin: ReleaseManifest
  readonly console: ReleaseManifest
  /** The tag, where there is one: `v1.2.3`. */
  readonly tag?: string | undefined
  /** Where GitHub builds it: `owner/name`. npm refuses the provenance of another repository. */
  readonly builtIn?: string | undefined
}

/** Why these packages cannot be published: sentences for the owner, none where they can. */
export function releaseProblems({ plugin, console, tag, builtIn }: Release): string[] {
  const problems: string[] = []
  const check = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(problem)
  }
  for (const { name, version, repository, homepage, bugs } of [plugin, console]) {
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
  check(plugin.version === console.version, 'the two packages have different versions')
  check(
    console.peerDependencies?.[plugin.name] === plugin.version,
    `${console.name}: the peer dependency ${plugin.name} must be ${plugin.version}`,
  )
  check(
    console.repository?.directory === 'console',
    `${console.name}: repository.directory must be console`,
  )
  return problems
}

/** `.invalid` is what the placeholders have: RFC 2606 §2. */
function isSet(url = ''): boolean {
  const parsed = URL.parse(url.replace(/^git\+/, ''))
  return parsed?.protocol === 'https:' && !parsed.hostname.endsWith('.invalid')
}
