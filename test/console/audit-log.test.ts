import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  DEMO,
  exchange,
  issueDirectly,
  launch,
  postJson,
  run,
  signIn,
  temporaryFolder,
} from '../example-provider/support.ts'

const RECORDER = join(import.meta.dirname, 'record-answers.ts')

interface Line {
  readonly event: string
  readonly id?: string
  readonly subject?: string
  readonly client?: string
  readonly actor?: object
  readonly denial?: { readonly stage: string; readonly error: string; readonly reason: string }
}

/** The audit events among what was printed. */
function eventsOf(printed: string): Line[] {
  return [...printed.matchAll(/^\{"event":.*$/gm)].map(([line]) => JSON.parse(line))
}

/** Every secret in the answers that were recorded: tokens, codes, the values of cookies. */
async function secretsOf(file: string): Promise<Map<string, string>> {
  const secrets = new Map<string, string>()
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const { headers, body } = JSON.parse(line)
    for (const [, name = '', value = ''] of body.matchAll(/"(\w*[tT]oken)":"([^"]+)"/g)) {
      secrets.set(value, name)
    }
    const [, code] = /[?&]code=([^&]+)/.exec(headers.location ?? '') ?? []
    if (code) secrets.set(code, 'code')
    for (const cookie of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value.length > 16) secrets.set(value, `cookie ${name.replace(/\d+$/, '')}`)
    }
  }
  return secrets
}

/** Expects that the output contains no secret, and no 16 characters in a row of a secret. */
function expectNone(printed: string, secrets: ReadonlyMap<string, string>): void {
  for (const [secret, name] of secrets) {
    for (let at = 0; at + 16 <= secret.length; at += 1) {
      const piece = secret.slice(at, at + 16)
      expect(printed.includes(piece), `${name} was printed`).to.equal(false)
    }
  }
}

describe('console: the audit log', function () {
  this.timeout(120_000)

  for (const STRICT of ['0', '1']) {
    it(`STRICT=${STRICT}: tells a whole demo, without one of the tokens it handed out`, async () => {
      await using folder = await temporaryFolder()
      const ANSWERS_FILE = join(folder.path, 'answers')
      const recording = { NODE_OPTIONS: `--import=${RECORDER}`, ANSWERS_FILE, STRICT }
      const { code, stdout, stderr } = await run(DEMO, recording)
      expect([code, stderr]).to.deep.equal([0, ''])

      const secrets = await secretsOf(ANSWERS_FILE)
      const kinds = [...secrets.values()]
      const count = (kind: string) => kinds.filter((name) => name === kind).length
      // The tokens of the operator, of the machine, and those of the impersonated customer.
      expect(count('access_token')).to.equal(STRICT === '1' ? 8 : 9)
      expect(count('subjectToken')).to.equal(6)
      expect(count('id_token')).to.equal(1)
      expect(count('code')).to.equal(1)
      expect(kinds).to.include('cookie _session')
      expectNone(stdout, secrets)
      const told = eventsOf(stdout).map(({ event }) => event.replace('impersonation.', ''))
      // The demo asks the API until an end has reached it: how often is a matter of time.
      expect(told).to.include('used')
      expect(told.filter((event) => event !== 'used')).to.deep.equal(
        [
          'issued granted replayed ended issued denied denied',
          STRICT === '1' ? 'denied denied denied issued denied' : 'issued granted',
          'issued granted ended',
          // All of olivia: also the tokens that are bound to her and were not exchanged.
          `issued granted ended ended${STRICT === '1' ? ' ended' : ''}`,
          'issued granted replayed ended',
        ]
          .join(' ')
          .split(' '),
      )
    })
  }

  it('says who acted as whom, with one id from first to last', async () => {
    await using folder = await temporaryFolder()
    await using running = await launch({ DATA_DIR: folder.path, STORAGE_URL: 'memory:' })
    const olivia = await signIn(running.url)
    const request = { userId: 'alice', reason: 'r', ticketId: 't' }
    const { body } = await postJson(`${running.url}/support/impersonations`, request, olivia)
    await exchange(running.url, body.subjectToken)
    await exchange(running.url, body.subjectToken, olivia)
    await exchange(running.url, body.subjectToken, olivia)
    await issueDirectly(running.url, { userId: 'grace' })
    running.child.kill('SIGTERM')
    const { stdout, stderr } = await running.ended
    expect(stderr).to.equal('')

    const events = eventsOf(stdout)
    const first = events[0]
    expect(events.map(({ event }) => event)).to.deep.equal([
      'impersonation.issued',
      'impersonation.denied',
      'impersonation.granted',
      'impersonation.replayed',
      'impersonation.ended',
      'impersonation.denied',
    ])
    expect(new Set(events.slice(0, 5).map(({ id }) => id))).to.deep.equal(new Set([first?.id]))
    for (const event of events.slice(0, 5)) expect(event.subject).to.equal('alice')
    expect(first?.actor).to.deep.equal({ sub: 'olivia' })
    expect(events[2]?.actor).to.deep.equal({ sub: 'olivia' })
    expect(events[1]?.denial).to.include({ stage: 'exchange', error: 'invalid_request' })
    expect(events[1]?.denial?.reason).to.include('bound to an operator, and none acts')
    expect(events[5]).to.deep.include({
      subject: 'grace',
      denial: { stage: 'issue', error: 'access_denied', reason: 'refused by policy' },
    })
  })

  it('keeps one event on one line, which reads as what it says and is obeyed by no terminal', async () => {
    await using folder = await temporaryFolder()
    await using running = await launch({ DATA_DIR: folder.path, STORAGE_URL: 'memory:' })
    const marks = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
    const reason = `${marks}a\n{"event":"impersonation.granted"}\r\u001b[2J\u009b2J\u2028\u0085`
    const { status } = await issueDirectly(running.url, { userId: 'alice', context: { reason } })
    expect(status).to.equal(201)
    running.child.kill('SIGTERM')
    const { stdout } = await running.ended
    const [event, ...others] = eventsOf(stdout)
    expect(others).to.deep.equal([])
    expect(event).to.deep.include({ event: 'impersonation.issued', context: { reason } })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed.
    expect(stdout).not.to.match(/[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/)
    expect(stdout).not.to.match(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
  })
})
