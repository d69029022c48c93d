import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import plugin from '../package.json' with { type: 'json' }
import console from '../packages/console/package.json' with { type: 'json' }
import { PLACEHOLDER, releaseProblems } from '../scripts/check-release.ts'
import { fromReleaseOn } from '../scripts/release.ts'

const REPOSITORY = { url: 'git+https://github.com/acme/impersonation.git' }
const [CONSOLE, TAG, BUILT_IN] = ['packages/console', `v${plugin.version}`, 'acme/impersonation']

const good = {
  '.': { ...plugin, repository: REPOSITORY },
  [CONSOLE]: { ...console, repository: { ...REPOSITORY, directory: CONSOLE } },
}

describe('a release', () => {
  it('is fit if the owner has set all addresses, and the versions are those of the tag', () => {
    expect(releaseProblems(good, TAG, BUILT_IN)).to.deep.equal([])
    expect(releaseProblems(good)).to.deep.equal([])
  })

  it('is refused under another tag, with versions that differ, and from another repository', () => {
    const withConsole = (changed: object) => ({ ...good, [CONSOLE]: { ...console, ...changed } })
    expect(releaseProblems(good, 'v0.0.0')[0]).to.include('is not of the tag v0.0.0')
    const later = releaseProblems(withConsole({ version: '99.0.0' }))
    expect(later[0]).to.equal(
      `${console.name}: its version is not ${plugin.version}, as the plugin's`,
    )
    const peerDependencies = { [plugin.name]: '99.0.0' }
    const [peer] = releaseProblems(withConsole({ peerDependencies }))
    expect(peer).to.include('the peer dependency on the plugin is not')
    for (const repository of [{}, { url: `git+${PLACEHOLDER}/` }, REPOSITORY]) {
      const [elsewhere] = releaseProblems({ '.': { ...plugin, repository } }, TAG, 'mallory/it')
      expect(elsewhere).to.include('must be git+https://github.com/mallory/it.git')
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

  it('is checked before npm publish', async () => {
    for (const { scripts } of [plugin, console]) {
      expect(scripts.prepublishOnly).to.match(/^node (\.\.\/\.\.\/)?scripts\/check-release\.ts$/)
    }
    const script = new URL('../scripts/check-release.ts', import.meta.url).pathname
    const failure = await promisify(execFile)(process.execPath, [script, 'v0.0.0']).catch(String)
    expect(failure).to.include(`${plugin.version} is not of the tag v0.0.0`)
  })
})
