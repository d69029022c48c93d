import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import Koa from 'koa'
import { parse, parseAllDocuments } from 'yaml'
import BOARD from '../../examples/grafana-board.json' with { type: 'json' }
import { expectAnswer } from '../support/http.ts'
import { managing } from '../support/managing.ts'
import { renewed, shared } from '../support/shared.ts'
import { signIn } from '../support/sign-in.ts'
import { listening } from '../support/token-issuer.ts'
import { blocksOf, call, snippetsOf } from './documents.ts'

type LogLine = Readonly<Record<string, unknown>>
type Selection = Readonly<Record<string, string>>

/** Returns whether a line has the values of a selection, as Sigma compares them. */
function fits(line: LogLine, selection: Selection): boolean {
  return Object.entries(selection).every(([field, wanted]) => {
    const [path = '', modifier] = field.split('|')
    const found = path.split('.').reduce((value: unknown, name) => Object(value)[name], line)
    return modifier === 'contains' ? String(found).includes(wanted) : found === wanted
  })
}

describe('docs/events.md: logs, metrics and traces', () => {
  const snippets = shared(() => snippetsOf('events.md'))
  const deployment = renewed(() =>
    managing({
      impersonation: { authorize: ({ account }) => account.accountId !== 'bob' },
    }),
  )

  /** One that is used and ended, a replay, a token of another operator, and two refusals at issue. */
  async function history(): Promise<void> {
    const [olivia, bob] = [await signIn(deployment, 'olivia'), await signIn(deployment, 'bob')]
    const { id, subjectToken } = await deployment.start({ mayAct: { sub: 'olivia' } })
    const exchange = async (subject_token: string, actor_token: string) =>
      (await deployment.exchange({ subject_token, actor_token })).status
    expect(await exchange(subjectToken, olivia.access_token)).to.equal(200)
    await deployment.send(`/${id}/end`)
    expect(await exchange(subjectToken, olivia.access_token)).to.equal(400)
    const stolen = await deployment.start({ mayAct: { sub: 'olivia' } })
    expect(await exchange(stolen.subjectToken, bob.access_token)).to.equal(400)
    const { token } = deployment
    for (let refused = 0; refused < 2; refused += 1) {
      await expectAnswer(deployment.issue({ userId: 'bob' }, { token }), 403)
    }
    await deployment.events(8)
  }

  it('metrics.ts counts every event in the text format of Prometheus, and the alerts name what it counts', async () => {
    const { impersonationMetrics } = await snippets.load('Metrics')
    const metrics: () => string = call(impersonationMetrics, deployment.provider)
    expect(metrics()).to.match(/^impersonation_replayed_total 0$/m)
    await history()
    process.emitWarning('the audit lacks something', 'ImpersonationWarning')
    await turn()
    const lines = metrics().trimEnd().split('\n')
    const comment = /^# (?:HELP \w+ .+|TYPE \w+ counter)$/
    const samples = lines.filter((line) => !comment.test(line))
    expect(samples).to.have.members([
      'impersonation_issued_total 2',
      'impersonation_started_total 1',
      'impersonation_replayed_total 1',
      'impersonation_denied_total{stage="exchange",error="invalid_request"} 1',
      'impersonation_denied_total{stage="issue",error="access_denied"} 2',
      'impersonation_ended_total{cause="requested"} 1',
      'impersonation_warnings_total 1',
    ])

    const [alerts = ''] = await blocksOf('events.md', 'yaml\n# impersonation-alerts.yml')
    const { groups } = parse(alerts)
    const rules: ReadonlyArray<{ alert: string; expr: string }> = groups[0].rules
    expect(rules).to.have.length.above(3)
    const names = samples.map((line) => /^\w+/.exec(line)?.[0])
    for (const { alert, expr } of rules) {
      expect(names, alert).to.include.members(expr.match(/impersonation_\w+/g) ?? [''])
    }
  })

  it('the Sigma rules select the lines of misuse, and no line of ordinary work', async () => {
    const { logEvents } = await snippets.load('# Events')
    const lines: LogLine[] = []
    call(logEvents, deployment.provider, (line: LogLine) => lines.push(line))
    await history()
    const [misuse = ''] = await blocksOf('events.md', 'yaml\n# impersonation-misuse.yml')
    const rules = parseAllDocuments(misuse).map((it) => it.toJS())
    const selections: Selection[] = rules.flatMap(({ detection = {} }) =>
      Object.entries(detection).flatMap(([name, it]) => (name === 'condition' ? [] : [Object(it)])),
    )
    expect(selections).to.have.lengthOf(3)
    const counts = selections.map((one) => lines.filter((line) => fits(line, one)).length)
    expect(counts).to.deep.equal([1, 1, 2])
    const { correlation } = rules.at(-1)
    expect(rules.map(({ name }) => name)).to.include.members(correlation.rules)
  })

  it('serve-metrics.ts answers them at one path with who acts now, as the board of Grafana names them', async () => {
    const { serveMetrics } = await snippets.load('Metrics', 1)
    const actor_token = await deployment.actorToken()
    const { subjectToken: subject_token } = await deployment.start()
    await deployment.exchange({ subject_token, actor_token })
    const app = new Koa().use(call(serveMetrics, deployment.provider))
    const origin = await listening(createServer(app.callback()))
    const answer = await fetch(`${origin}/metrics`)
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/)
    const text = await answer.text()
    expect(text).to.include('impersonation_issued_total 0')
    expect(text).to.match(/^impersonation_running\{operator="olivia"\} 1$/m)
    for (const { targets } of BOARD.panels) {
      const names = targets[0]?.expr.match(/impersonation_\w+/g) ?? ['']
      for (const name of names) expect(text).to.include(`# TYPE ${name} `)
    }
    await expectAnswer(fetch(origin), 404)
  })

  it('trace-events.ts writes the id and the operator into the span that is open', async () => {
    const { provider } = deployment
    const told: unknown[] = []
    const span = {
      addEvent: (...event: unknown[]) => told.push(event),
    }
    const { traceEvents } = await snippets.load('Traces')
    call(traceEvents, provider, () => span)
    const actor_token = await deployment.actorToken()
    const { id, subjectToken } = await deployment.start({ context: { ticketId: 'SUP-123' } })
    await deployment.exchange({ subject_token: subjectToken, actor_token })
    const { name, ...started } = (await deployment.events(2))[1] ?? expect.fail('not started')
    const [shown = ''] = await blocksOf('events.md', 'json')
    const members = Object.keys(JSON.parse(shown))
    expect(JSON.parse(JSON.stringify(started)), name).to.have.all.keys(members)
    expect(told).to.deep.equal([
      ['impersonation.issued', { 'impersonation.id': id, 'actor.id': '' }],
      ['impersonation.started', { 'impersonation.id': id, 'actor.id': 'olivia' }],
    ])
  })
})
