import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Provider } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { snippetsOf } from './documents.ts'

const run = promisify(execFile)
const PAGE = new URL('../../docs/runbook.md', import.meta.url)

type LogEvents = (provider: Provider, log: (line: object) => void) => void

describe('docs/runbook.md', () => {
  let deployment: Deployment
  let blocks: readonly string[]

  before(async () => {
    const page = await readFile(PAGE, 'utf8')
    blocks = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = '']) => block)
    const clients = { issue: ['backend'], read: ['backend'], end: ['backend'] }
    deployment = await deploy({ impersonation: { managementApi: { clients } } })
  })
  after(() => deployment?.close())

  /** Runs commands of the page in a shell that has got its machine token as the page says. */
  async function shell(commands: string, CLIENT_SECRET = 'backend-secret') {
    const [token = ''] = blocks
    const script = `${token}\n${commands}`.replaceAll('https://id.example.com', deployment.base)
    const env = { ...process.env, CLIENT_ID: 'backend', CLIENT_SECRET }
    const { stdout } = await run('bash', ['-euc', script], { env })
    return stdout
  }
  const commandsWith = (words: string) => {
    const found = blocks.find((block) => block.includes(words))
    if (found === undefined) throw new Error(`no command with ${words}`)
    return found
  }

  it('ends what an operator runs', async () => {
    await deployment.provider.impersonation.issue(
      { userId: 'alice', mayAct: { sub: 'olivia' } },
      { as: 'backend' },
    )
    expect(await shell(commandsWith('"actor": "olivia"'))).to.equal('{"ended":1}')
  })

  it('lists what runs for a customer, and ends it', async () => {
    const { id } = await deployment.provider.impersonation.issue(
      { userId: 'alice' },
      { as: 'backend' },
    )
    const printed = await shell(commandsWith('?userId=alice'))
    expect(printed)
      .to.include(`"id":"${id}"`)
      .and.to.match(/\{"ended":1\}$/)
  })

  it('ends everything that a client asked for', async () => {
    for (const userId of ['alice', 'bob']) {
      await deployment.provider.impersonation.issue({ userId }, { as: 'backend' })
    }
    expect(await shell(commandsWith('"requestedBy"'))).to.equal('{"ended":2}')
  })

  it('tries the status lists as an API does', async () => {
    expect(await shell(commandsWith('/status-lists'))).to.match(/^200\n/)
  })

  it('finds what a client asked for, and a replay, in the lines of the log', async () => {
    await using snippets = await snippetsOf('observability.md')
    const { logEvents } = await snippets.load('Logs')
    const lines: string[] = []
    ;(logEvents as LogEvents)(deployment.provider, (line) => lines.push(JSON.stringify(line)))
    const subject_token = await deployment.subjectToken('alice')
    await deployment.exchange({ subject_token })
    await deployment.exchange({ subject_token })
    while (!lines.some((line) => line.includes('replayed'))) await turn()
    const folder = await mkdtemp(join(tmpdir(), 'runbook-'))
    await writeFile(join(folder, 'events.jsonl'), `${lines.join('\n')}\n`)
    for (const [event, member] of [
      ['issued', '"requestedBy":"backend"'],
      ['replayed', '"userId":"alice"'],
    ]) {
      const command = commandsWith(`impersonation.${event}`)
      const { stdout } = await run('bash', ['-euc', command], { cwd: folder })
      expect(stdout.trim().split('\n')).to.have.lengthOf(1)
      expect(stdout).to.include(`impersonation.${event}`).and.to.include(member)
    }
    await rm(folder, { recursive: true })
  })
})
