import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import plugin from '../package.json' with { type: 'json' }
import console from '../packages/console/package.json' with { type: 'json' }
import { readRelease } from '../scripts/release-problems.ts'

const run = promisify(execFile)
const release = (...args: string[]) => run(process.execPath, ['scripts/release.ts', ...args])

describe('npm run release', function () {
  this.timeout(120_000)

  it('-- --dry-run shows what every package would publish, and what is in the way, and changes nothing', async () => {
    const { stdout: before } = await run('git', ['status', '--porcelain'])
    const { stdout } = await release('--dry-run', '--files')
    const [pluginShown = '', consoleShown = ''] = stdout.split(`${console.name}@${console.version}`)
    const { others } = await readRelease()
    for (const { name, version } of Object.values(others)) {
      expect(stdout).to.match(new RegExp(`^${name}@${version}$`, 'm'))
    }
    expect(pluginShown).to.match(
      new RegExp(`^${plugin.name}@${plugin.version}\n {2}[\\d,]+ kB packed`),
    )
    for (const file of [
      'dist/index.js',
      'docs/production.md',
      'examples/recipes/mysql.ts',
      'SECURITY.md',
    ]) {
      expect(pluginShown).to.include(`    ${file}\n`)
    }
    for (const file of ['.github/upstream.md', 'src/', 'CONTRIBUTING.md']) {
      expect(stdout).not.to.include(`    ${file}`)
    }
    expect(consoleShown).to.include('    dist/index.js\n')
    expect(stdout).to.match(/^(?:Nothing is in the way\.|In the way:\n(?:- .+\n)+)$/m)
    expect((await run('git', ['status', '--porcelain'])).stdout).to.equal(before)
  })

  it('publishes nothing without it, and says where a release is made', async () => {
    const failure = await release().catch((error: unknown) => error)
    expect(failure).to.include({ code: 2, stdout: '' })
    expect(failure).to.have.property('stderr').that.includes('A release itself is a tag')
  })
})
