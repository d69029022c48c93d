import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import console from '../console/package.json' with { type: 'json' }
import plugin from '../package.json' with { type: 'json' }
import { type Release, type ReleaseManifest, releaseProblems } from '../scripts/release-problems.ts'

const AT = 'https://github.com/acme/impersonation'

/** The manifest, as an owner has set it. */
function owned(manifest: ReleaseManifest): ReleaseManifest {
  return {
    ...manifest,
    repository: { ...manifest.repository, url: `git+${AT}.git` },
    homepage: `${AT}#readme`,
    bugs: { url: `${AT}/issues` },
  }
}

const good: Release = {
  plugin: owned(plugin),
  console: owned(console),
  tag: `v${plugin.version}`,
  builtIn: 'acme/impersonation',
}

describe('a release', () => {
  it('is fit, where the owner has set all addresses, and the versions are those of the tag', () => {
    expect(releaseProblems(good)).to.deep.equal([])
    expect(releaseProblems({ plugin: good.plugin, console: good.console })).to.deep.equal([])
  })

  for (const member of ['repository', 'homepage', 'bugs'] as const) {
    it(`is refused without ${member}, and with a placeholder: in either package`, () => {
      const placeholder = 'https://set-before-release.invalid/'
      const { directory } = console.repository
      const values = {
        repository: { url: `git+${placeholder}`, directory },
        homepage: placeholder,
        bugs: { url: placeholder },
      }
      for (const name of ['plugin', 'console'] as const) {
        const { [member]: _, ...without } = good[name]
        for (const manifest of [without, { ...without, [member]: values[member] }]) {
          const { builtIn: __, ...release } = { ...good, [name]: manifest }
          expect(releaseProblems(release)[0]).to.match(
            new RegExp(`^${good[name].name}: the owner has not set ${member}(\\.url)? in package`),
          )
        }
      }
    })
  }

  it('is refused under another tag, with versions that differ, and from another repository', () => {
    const later = { ...good.console, version: '99.0.0' }
    for (const [release, problem] of [
      [{ tag: 'v0.0.0' }, `${plugin.name}: ${plugin.version} is not of the tag v0.0.0`],
      [{ console: later }, `${console.name}: 99.0.0 is not of the tag v${plugin.version}`],
      [{ console: later, tag: undefined }, 'the two packages have different versions'],
      [
        { console: { ...good.console, peerDependencies: {} } },
        `${console.name}: the peer dependency ${plugin.name} must be ${plugin.version}`,
      ],
      [
        { builtIn: 'mallory/impersonation' },
        `${plugin.name}: repository.url must be git+https://github.com/mallory/impersonation.git`,
      ],
    ] as const) {
      expect(releaseProblems({ ...good, ...release })[0]).to.equal(problem)
    }
  })

  it('is checked before npm publish, and says what is wrong', async () => {
    for (const { scripts } of [plugin, console]) {
      expect(scripts.prepublishOnly).to.match(/^node (\.\.\/)?scripts\/check-release\.ts$/)
    }
    const script = new URL('../scripts/check-release.ts', import.meta.url).pathname
    const failure = await promisify(execFile)(process.execPath, [script, 'v0.0.0']).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    )
    expect(failure).to.include({ code: 1 })
    expect(failure?.stderr).to.include(`${plugin.name}: ${plugin.version} is not of the tag v0.0.0`)
  })
})
