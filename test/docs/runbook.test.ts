import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'

const run = promisify(execFile)
const PAGE = new URL('../../docs/runbook.md', import.meta.url)

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
})
