import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import plugin from '../package.json' with { type: 'json' }
import console from '../packages/console/package.json' with { type: 'json' }
import {
  fromReleaseOn,
  PLACEHOLDER,
  type Release,
  type ReleaseManifest,
  releaseProblems,
} from '../scripts/release-problems.ts'

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
  others: { 'packages/console': owned(console) },
  tag: `v${plugin.version}`,
  builtIn: 'acme/impersonation',
}

describe('a release', () => {
  it('is fit, where the owner has set all addresses, and the versions are those of the tag', () => {
    expect(releaseProblems(good)).to.deep.equal([])
    expect(releaseProblems({ plugin: good.plugin, others: good.others })).to.deep.equal([])
  })

  it('is refused without an address, and with a placeholder: in every package', () => {
    for (const [member, placeholder] of Object.entries({
      repository: { url: `git+${PLACEHOLDER}/` },
      homepage: PLACEHOLDER,
      bugs: { url: PLACEHOLDER },
    })) {
      for (const value of [undefined, placeholder]) {
        const { builtIn: _, ...release } = good
        const changed = { ...owned(console), [member]: value }
        for (const wrong of [
          { ...release, plugin: { ...release.plugin, [member]: value } },
          { ...release, others: { 'packages/console': changed } },
        ]) {
          expect(releaseProblems(wrong)[0]).to.include(`: the owner has not set ${member}`)
        }
      }
    }
  })

  it('is refused under another tag, with versions that differ, and from another repository', () => {
    const withConsole = (changed: object) => ({
      others: { 'packages/console': { ...owned(console), ...changed } },
    })
    const later = withConsole({ version: '99.0.0' })
    for (const [release, problem] of [
      [{ tag: 'v0.0.0' }, `${plugin.name}: ${plugin.version} is not of the tag v0.0.0`],
      [later, `${console.name}: 99.0.0 is not of the tag v${plugin.version}`],
      [
        { ...later, tag: undefined },
        `${console.name}: its version is not that of ${plugin.name}, ${plugin.version}`,
      ],
      [
        withConsole({ peerDependencies: { [plugin.name]: '99.0.0' } }),
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

  it('has a README that no longer says how to do without npm', async () => {
    const today = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const released = fromReleaseOn(today)
    expect(today).to.include('It is not on npm yet.')
    expect(released).to.include('> This is version 0.1, the first one.\n')
    expect(released).not.to.match(/not on npm|npm pack|the release/)
    expect(fromReleaseOn(released)).to.equal(released)
  })

  it('is checked before npm publish, and says what is wrong', async () => {
    for (const { scripts } of [plugin, console]) {
      expect(scripts.prepublishOnly).to.match(/^node (\.\.\/\.\.\/)?scripts\/check-release\.ts$/)
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
