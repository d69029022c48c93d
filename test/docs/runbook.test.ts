import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Pool } from 'pg'
import { POSTGRES_URL, testOn } from '../adapters/servers.ts'
import { CLIENTS, type Deployment, deploy } from '../support/deployment.ts'
import { newFolder } from '../support/folder.ts'
import { expectAnswer } from '../support/http.ts'
import { blocksOf, call, pageOf, snippetsOf } from './documents.ts'

const run = promisify(execFile)

const ON_CALL = { ...CLIENTS[0], client_id: 'on-call' }
const itOnPostgres = await testOn('PostgreSQL')

describe('docs/runbook.md', () => {
  let deployment: Deployment
  let blocks: readonly string[]

  before(async () => {
    blocks = await blocksOf('runbook.md', 'bash')
    const clients = { issue: ['backend'], read: ['on-call'], end: ['on-call'] }
    const impersonation = { managementApi: { clients } }
    deployment = await deploy({ clients: [ON_CALL], impersonation })
  })
  after(() => deployment?.close())

  /** Runs commands of the page in a shell that has got its machine token as the page says. */
  async function shell(commands: string) {
    const [token = ''] = blocks
    const script = `${token}\n${commands}`.replaceAll('https://id.example.com', deployment.base)
    const env = { ...process.env, CLIENT_ID: 'on-call', CLIENT_SECRET: 'backend-secret' }
    const { stdout } = await run('bash', ['-euc', script], { env })
    return stdout
  }
  const commandsWith = (words: string) => {
    const found = blocks.find((block) => block.includes(words))
    if (found === undefined) throw new Error(`no command with ${words}`)
    return found
  }

  const issue = (userId: string, mayAct?: { sub: string }) =>
    deployment.provider.impersonation.issue({ userId, mayAct }, { as: 'backend' })

  it('ends what an operator runs, lists and ends what runs for a customer, and what a client asked for', async () => {
    await issue('alice', { sub: 'olivia' })
    expect(await shell(commandsWith('"actor": "olivia"'))).to.equal('{"ended":1}')
    const { id } = await issue('alice')
    const printed = await shell(commandsWith('?userId=alice'))
    expect(printed).to.include(`"id":"${id}"`)
    expect(printed).to.match(/\{"ended":1\}$/)
    for (const userId of ['alice', 'bob']) await issue(userId)
    expect(await shell(commandsWith('"requestedBy": "backend"'))).to.equal('{"ended":2}')
    expect(await shell(commandsWith('?state='))).to.equal('{"items":[]}')
  })

  itOnPostgres('nobody.sh forbids everything new and ends what runs, by one command', async () => {
    await using stack = new AsyncDisposableStack()
    const page = stack.use(await snippetsOf('production.md'))
    const { withKillSwitch } = await page.load('The kill switch')
    const folder = newFolder()
    const schema = `off_${process.pid}`
    const url = new URL(POSTGRES_URL)
    url.search = `?options=-c%20search_path%3D${schema}`
    const pool = stack.adopt(new Pool({ connectionString: url.href }), (it) => it.end())
    await pool.query(`CREATE SCHEMA ${schema}`)
    stack.defer(async () => void (await pool.query(`DROP SCHEMA ${schema} CASCADE`)))
    const sql = await blocksOf('production.md', 'sql')
    const table = sql.find((block) => block.includes('CREATE TABLE impersonation_off'))
    await pool.query(table ?? expect.fail('the page has no table'))
    const isOff = async () => (await pool.query('SELECT FROM impersonation_off')).rowCount !== 0
    const authorize = call(withKillSwitch, isOff, () => true)
    const clients = { issue: ['backend', 'web'], read: ['on-call'], end: ['on-call'] }
    const impersonation = { authorize, managementApi: { clients } }
    const it = stack.use(await deploy({ clients: [ON_CALL], impersonation }))
    const { subjectToken } = await it.provider.impersonation.issue(
      { userId: 'alice' },
      { as: 'backend' },
    )
    await it.redeem(subjectToken)

    const onCall = blocks[0]?.replaceAll('https://id.example.com', it.base) ?? ''
    await writeFile(join(folder, 'on-call.sh'), onCall)
    const script = commandsWith('# nobody.sh').replace('console-backend', 'web')
    const secret = { CLIENT_ID: 'on-call', CLIENT_SECRET: 'backend-secret' }
    const env = { ...process.env, ...secret, DATABASE_URL: url.href, USER: 'grace' }
    const { stdout } = await run('bash', ['-euc', script], { env, cwd: folder })
    expect(stdout).to.equal('{"ended":1}{"ended":0}')
    const { rows } = await pool.query('SELECT who FROM impersonation_off')
    expect(rows).to.deep.equal([{ who: 'grace' }])
    await expectAnswer(it.issue(), 403)

    const [, back = ''] = /empty the table: `(.*?)`/.exec(await pageOf('runbook.md')) ?? []
    await pool.query(back)
    await expectAnswer(it.issue(), 201)
  })

  it('lists whom a stolen client was used for, and tries the status lists as an API does', async () => {
    const printed = await shell(commandsWith('?requestedBy=backend'))
    expect(printed).to.include('"userId":"alice"').and.include('"userId":"bob"')
    expect(await shell(commandsWith('/status-lists'))).to.match(/^200\n/)
  })

  it('finds what a client asked for, and a replay, in the lines of the log, and ends again what had ended', async () => {
    await using snippets = await snippetsOf('events.md')
    const { logEvents } = await snippets.load('# Events')
    const lines: string[] = []
    call(logEvents, deployment.provider, (line: object) => lines.push(JSON.stringify(line)))
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    await deployment.exchange({ subject_token })
    while (!lines.some((line) => line.includes('impersonation.ended'))) await turn()
    const folder = newFolder()
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
    const again = await shell(`cd ${folder}\n${commandsWith('impersonation.ended')}`)
    expect(again).to.match(/^\{"id".*"state":"ended"/)
  })
})
