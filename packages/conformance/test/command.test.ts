import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { main } from '../src/cli.ts'
import { type Deployed, deployForSuite, listen } from './support/deployment.ts'
import { proxy, type Spoil } from './wrong/proxy.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

describe('oidc-provider-impersonation-conformance', () => {
  let folder: string
  let deployed: Deployed
  let spoil: Spoil = (passing, forward) => forward(passing)
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conformance-'))
    deployed = await deployForSuite({ front: proxy(() => spoil) })
  })
  afterEach(() => {
    spoil = (passing, forward) => forward(passing)
  })
  after(async () => {
    await deployed[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  function start(...args: string[]) {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
    return { child, result: ended.then(([[code], out, error]) => ({ code, out, error })) }
  }
  /** In this process: a process of its own takes longer than what most tests look at. */
  async function execute(...args: string[]) {
    const [out, error]: [string[], string[]] = [[], []]
    const code = await main(args, {
      log: (line: string) => void out.push(`${line}\n`),
      error: (line: string) => void error.push(`${line}\n`),
      isColored: false,
    })
    return { code, out: out.join(''), error: error.join('') }
  }

  async function configured(change: object = {}): Promise<string> {
    const file = join(folder, 'c.json')
    await writeFile(file, JSON.stringify({ ...deployed.configuration, ...change }))
    return file
  }

  it('--help says how it is used, and --list what is tested', async () => {
    const help = await start('--help').result
    expect([help.code, help.error]).to.deep.equal([0, ''])
    expect(help.out).to.include('--config <file>').and.to.include('The exit code is 0')
    const list = await execute('--list')
    expect(list.out).to.match(/^P1 a machine client gets .+\nP2 /)
  })

  it('exits with 0 where everything holds, and says what was skipped', async () => {
    const { refusedUser: _, ...some } = Object(deployed.configuration)
    const file = join(folder, 'some.json')
    await writeFile(file, JSON.stringify(some))
    const args = [deployed.issuer, '--config', file, '--only', 'P1,P10']
    const { code, out } = await execute(...args)
    expect([code, out.replace(/[\d.]+ s\n/, '1 s\n')]).to.deep.equal([
      0,
      '✓ P1 a machine client gets a subject token, and how long it lives\n' +
        '– P10 what the rules refuse: 403 access_denied\n' +
        '    the configuration has no refusedUser\n' +
        '\n1 passed, 0 failed, 1 skipped, in 1 s\n',
    ])
    expect((await execute(...args, '--no-skips')).code).to.equal(1)
  })

  it('exits with 1 where a statement does not hold; reports show request, answer, clause, no secret', async () => {
    const seen: string[] = []
    spoil = async (passing, forward) => {
      const given = await forward(passing)
      seen.push(passing.headers.authorization ?? '')
      seen.push(...['subjectToken', 'access_token'].map((name) => tokenIn(given.body, name)))
      // As a server that lets caches keep tokens, and has a hostile name.
      const headers = { ...given.headers, 'cache-control': 'max-age=1', server: '<script>&' }
      return { ...given, headers }
    }
    const reports = ['junit', 'json', 'html'].map((name) => join(folder, `report.${name}`))
    const { code, out } = await execute(
      ...[deployed.issuer, '--config', await configured(), '--only', 'P2,P20,P27'],
      ...reports.flatMap((file) => [`--${file.split('.').at(-1)}`, file]),
    )
    expect(code).to.equal(1)
    expect(out).to.match(/^✗ P2 .+\n {4}.+Cache-Control is "max-age=1", and must have no-store/)
    const texts = await Promise.all(reports.map((file) => readFile(file, 'utf8')))
    const [junit = '', json = '', html = ''] = texts
    expect(junit).to.include('tests="3" failures="1" skipped="0"')
    expect(junit).to.include('<failure message="').and.not.to.include('<script>')
    expect(html).not.to.include('<script>')
    for (const report of texts) {
      expect(report).to.include('POST http://127.0.0.1').and.to.include('HTTP 201')
      expect(report).to.include('subject token or an access token MUST have')
      expect(report).to.match(/\[subject token \d+\]/)
    }
    const { results, failed } = JSON.parse(json)
    expect([failed, results.map(({ outcome }: { outcome: string }) => outcome)]).to.deep.equal([
      1,
      ['failed', 'passed', 'passed'],
    ])
    const secrets = ['backend-secret', 'web-secret', 'copilot-secret', ...seen]
    for (const secret of secrets.map((one) => one.replace(/^\w+ /, '')).filter(Boolean)) {
      expect([out, ...texts].filter((one) => one.includes(secret))).to.deep.equal([])
    }
  })

  it('exits with 2 where it is used in a wrong way', async () => {
    const config = await configured()
    for (const [args, message] of [
      [[], /name one issuer/],
      [['id.example.com', '--config', config], /is no URL of an issuer/],
      [[deployed.issuer], /--config is missing/],
      [[deployed.issuer, '--config', config, '--only', 'P99'], /no test of P99/],
      [[deployed.issuer, '--config', join(folder, 'none.json')], /cannot be read: ENOENT/],
      [[deployed.issuer, '--config', MAIN], /is no JSON/],
      [[deployed.issuer, '--verbose'], /Unknown option '--verbose'/],
    ] as const) {
      const { code, error } = await execute(...args)
      expect([code, error]).to.deep.equal([2, error])
      expect(error)
        .to.match(/^could not run: /)
        .and.to.match(message)
    }
  })

  it('exits with 2 where the configuration is wrong, and names the member by its path', async () => {
    const { issue, exchange } = Object(deployed.configuration)
    for (const [change, message] of [
      [{ user: undefined }, /: user must be a text/],
      [{ usr: 'alice' }, /: usr is not known; known are: issue, user/],
      [{ issue: { ...issue, url: '/api' } }, /: issue\.url must be an absolute URL/],
      [{ issue: { ...issue, members: { usr: 'x' } } }, /: issue\.members\.usr is not known/],
      [{ issue: { ...issue, client: { id: 'b' } } }, /: issue\.client\.secret must be a text/],
      [
        { operator: { sub: 'olivia', token: { env: 'NOT_SET' } } },
        /: operator\.token\.env names NOT_SET, which is not set/,
      ],
      [
        { operator: { sub: 'olivia', token: { command: ['false'] } } },
        /: operator\.token\.command failed/,
      ],
      [{ without: ['ends'] }, /: without\[0\] must be one of: issue/],
      [{ copies: 1 }, /: copies must be an integer from 2 to 200/],
      [{ user: 'nobody-here' }, /no subject token is issued\. Look at issue\.url.+user/],
      [
        { issue: { ...issue, client: { id: 'backend', secret: 'wrong-secret' } } },
        /no access token\. Look at issue\.client[\s\S]+HTTP 401[\s\S]+invalid_client/,
      ],
      [
        { exchange: { ...exchange, resource: 'https://unknown.invalid' } },
        /no subject token is exchanged\. Look at exchange\.client/,
      ],
    ] as const) {
      const { code, error } = await execute(deployed.issuer, '--config', await configured(change))
      expect([code, error]).to.deep.equal([2, error])
      expect(error).to.match(message).and.not.to.include('wrong-secret')
    }
  })

  it('exits with 2 where there is no such server, and says what to do', async () => {
    const config = await configured()
    const none = await execute('http://127.0.0.1:1/oidc', '--config', config)
    expect(none.code).to.equal(2)
    expect(none.error).to.include('no answer: ').and.to.include('Is the server there')
    const other = await execute(`${deployed.issuer}/`, '--config', config)
    expect([other.code, other.error]).to.deep.equal([2, other.error])
    expect(other.error).to.include('Name that issuer, word for word')
  })

  it('ends on Ctrl-C with 130, without a result for what was under way, and writes the reports', async () => {
    let reached = () => {}
    const under = new Promise<void>((resolve) => {
      reached = resolve
    })
    spoil = async (passing, forward) => {
      if (!passing.body.includes('contxt')) return forward(passing)
      reached()
      return new Promise(() => {})
    }
    const file = join(folder, 'interrupted.json')
    const args = [
      deployed.issuer,
      '--config',
      await configured(),
      '--only',
      'P1,P7',
      '--json',
      file,
    ]
    const { child, result } = start(...args)
    await under
    child.kill('SIGINT')
    const { code, out, error } = await result
    expect([code, error]).to.deep.equal([130, ''])
    expect(out).to.match(/^✓ P1 .+\n\n1 passed, 0 failed, 0 skipped, interrupted after /)
    expect(JSON.parse(await readFile(file, 'utf8')).isInterrupted).to.equal(true)
  })

  it('maps names and routes that differ', async () => {
    await using other = await deployForSuite({
      front: proxy(() => async (passing, forward) => {
        if (passing.path === '/api/subject-tokens') return { status: 404, headers: {}, body: '' }
        if (passing.path !== '/acts') return forward(passing)
        const { for: userId, may_act, until, ...rest } = JSON.parse(passing.body)
        const renamed = {
          ...rest,
          userId,
          ...(until === undefined ? {} : { expiresIn: until.seconds }),
          ...(may_act === undefined ? {} : { mayAct: { sub: may_act.sub } }),
        }
        const body = JSON.stringify(renamed)
        const given = await forward({ ...passing, path: '/api/subject-tokens', body })
        const { subjectToken, expiresIn, ...error } = JSON.parse(given.body)
        const answered = subjectToken ? { subject_token: subjectToken, seconds: expiresIn } : error
        return { ...given, body: JSON.stringify(answered) }
      }),
    })
    const { issue } = Object(other.configuration)
    const file = join(folder, 'mapped.json')
    const members = {
      user: 'for',
      operator: 'may_act.sub',
      client: null,
      lifetime: 'until.seconds',
    }
    const mapped = {
      ...other.configuration,
      issue: {
        ...issue,
        url: issue.url.replace('/api/subject-tokens', '/acts'),
        members,
        answer: { subjectToken: 'subject_token', lifetime: 'seconds' },
      },
    }
    await writeFile(file, JSON.stringify(mapped))
    const { code, out } = await execute(
      ...[other.issuer, '--config', file, '--only', 'P1,P2,P14,P15,P30,P34,P37'],
    )
    expect([code, out]).to.deep.equal([0, out])
    expect(out).to.include('6 passed, 0 failed, 1 skipped')
    expect(out).to.include('the configuration has no issue.members.client')
  })

  it('says that a server which hangs up gave no answer, and goes on', async () => {
    const hanging = createServer((request) => request.socket.destroy())
    const url = await listen(hanging)
    const { issue } = Object(deployed.configuration)
    const config = await configured({ endpoints: { current: `${url}/current` }, issue })
    const args = [deployed.issuer, '--config', config, '--only', 'P52,P45']
    const { code, out } = await execute(...args)
    hanging.close()
    expect(code).to.equal(1)
    expect(out)
      .to.match(/✓ P45/)
      .and.to.match(/✗ P52 .+\n {4}no answer: /)
  })
})

function tokenIn(body: string, name: string): string {
  return new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? ''
}
