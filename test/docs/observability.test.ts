import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import Koa from 'koa'
import { parse } from 'yaml'
import { type Requirement, resourceServer } from '../../packages/resource-server/src/index.ts'
import type { Authorize, Provider } from '../../src/index.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { listening } from '../support/token-issuer.ts'
import { type Snippets, snippetsOf } from './documents.ts'
import { type LogLine, matchingRules } from './sigma.ts'

/** The text format of Prometheus: a comment, or a metric with labels and a value. */
const COMMENT = /^# (?:HELP \w+ .+|TYPE \w+ counter)$/
const SAMPLE = /^(\w+(?:\{\w+="[^"\\\n]*"(?:,\w+="[^"\\\n]*")*\})?) (\d+)$/

/** A block of YAML of the page, by the name in its first line. */
async function yamlOf(name: string): Promise<string> {
  const page = await readFile(new URL('../../docs/observability.md', import.meta.url), 'utf8')
  const block = new RegExp(`^\`\`\`yaml\n# ${name}\n(.*?)^\`\`\`$`, 'ms')
  return block.exec(page)?.[1] ?? expect.fail(`the page has no ${name}`)
}

/** The samples of a body, by name with labels. */
function samplesOf(body: string): Map<string, number> {
  const samples = new Map<string, number>()
  for (const line of body.trimEnd().split('\n')) {
    if (COMMENT.test(line)) continue
    const [, name, value] = SAMPLE.exec(line) ?? []
    if (name === undefined) expect.fail(`no line of the text format: ${line}`)
    expect(samples.has(name), `${name} stands twice`).to.equal(false)
    samples.set(name, Number(value))
  }
  expect(body.endsWith('\n')).to.equal(true)
  return samples
}

type LogEvents = (provider: Provider, log: (line: LogLine) => void) => void

describe('docs/observability.md', function () {
  this.timeout(60_000)
  let snippets: Snippets
  let deployment: Managed

  before(async () => {
    snippets = await snippetsOf('observability.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  afterEach(() => deployment?.close())

  const protectBob: Authorize = ({ account }) => account.accountId !== 'bob'

  /** One that is used and ended, a replay, a token of another operator, and refusals at issue. */
  async function history(refusals: number): Promise<void> {
    const olivia = await signIn(deployment, 'olivia')
    const { id, subjectToken } = await deployment.start({ mayAct: { sub: 'olivia' } })
    const form = { subject_token: subjectToken, actor_token: olivia.access_token }
    expect((await deployment.exchange(form)).status).to.equal(200)
    await deployment.send(`/${id}/end`)
    expect((await deployment.exchange(form)).status).to.equal(400)
    const { token } = deployment
    for (let refused = 0; refused < refusals; refused += 1) {
      const asked = { userId: 'bob', mayAct: { sub: 'olivia' } }
      expect((await deployment.issue(asked, { token })).status).to.equal(403)
    }
    await deployment.events(4 + refusals)
  }

  it('metrics.ts counts every event in the text format of Prometheus, and the alerts name what it counts', async () => {
    deployment = await managing({ impersonation: { authorize: protectBob } })
    const { impersonationMetrics } = await snippets.load('Metrics')
    const metrics = (impersonationMetrics as (provider: Provider) => () => string)(
      deployment.provider,
    )
    expect(samplesOf(metrics()).get('impersonation_replayed_total')).to.equal(0)
    await history(2)
    process.emitWarning('the audit lacks something', 'ImpersonationWarning')
    await turn()
    const samples = samplesOf(metrics())
    expect(Object.fromEntries(samples)).to.deep.equal({
      impersonation_issued_total: 1,
      impersonation_started_total: 1,
      impersonation_replayed_total: 1,
      'impersonation_denied_total{stage="issue",error="access_denied"}': 2,
      'impersonation_ended_total{cause="requested"}': 1,
      impersonation_warnings_total: 1,
    })

    const { groups } = parse(await yamlOf('impersonation-alerts.yml'))
    const rules: ReadonlyArray<{ alert: string; expr: string }> = groups[0].rules
    expect(rules).to.have.length.above(3)
    const names = [...samples.keys()].map((name) => name.replace(/\{.*/, ''))
    for (const { alert, expr } of rules) {
      const metricsOfRule = expr.match(/impersonation_\w+/g) ?? []
      expect(metricsOfRule, alert).to.have.length.above(0)
      for (const metric of metricsOfRule) expect(names, alert).to.include(metric)
    }
  })

  it('the Sigma rules match the lines of misuse, and no line of ordinary work', async () => {
    deployment = await managing({ impersonation: { authorize: protectBob } })
    const { logEvents } = await snippets.load('Logs')
    const lines: LogLine[] = []
    ;(logEvents as LogEvents)(deployment.provider, (line) => lines.push(line))
    await history(4)
    const yaml = await yamlOf('impersonation-misuse.yml')
    const ordinary = lines.filter(({ event }) =>
      ['impersonation.issued', 'impersonation.started', 'impersonation.ended'].includes(`${event}`),
    )
    expect(ordinary).to.have.lengthOf(3)
    expect(matchingRules(yaml, ordinary)).to.deep.equal([])
    const [misuse, refused, many] = [
      'Misuse of an impersonation',
      'Refused to act as a customer',
      'An operator tries many customers',
    ]
    expect(matchingRules(yaml, lines)).to.deep.equal([misuse, refused])
    const denied = { userId: 'bob', mayAct: { sub: 'olivia' } }
    await deployment.issue(denied, { token: deployment.token })
    await deployment.events(9)
    expect(matchingRules(yaml, lines)).to.deep.equal([misuse, refused, many])

    // The token of another operator.
    lines.length = 0
    const bob = await signIn(deployment, 'bob')
    const { subjectToken } = await deployment.start({ mayAct: { sub: 'olivia' } })
    const stolen = { subject_token: subjectToken, actor_token: bob.access_token }
    expect((await deployment.exchange(stolen)).status).to.equal(400)
    await deployment.events(11)
    expect(matchingRules(yaml, lines)).to.deep.equal([misuse])
  })

  it('serve-metrics.ts answers them at one path, and passes other requests on', async () => {
    deployment = await managing()
    const { serveMetrics } = await snippets.load('Metrics', 1)
    const app = new Koa()
    app.use((serveMetrics as (provider: Provider) => Koa.Middleware)(deployment.provider))
    const origin = await listening(createServer(app.callback()))
    const answer = await fetch(`${origin}/metrics`)
    expect(answer.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/)
    expect(await answer.text()).to.include('impersonation_issued_total 0')
    expect((await fetch(origin)).status).to.equal(404)
  })

  it('trace-events.ts and trace-callers.ts write the id and the operator into the span that is open', async () => {
    deployment = await managing()
    const { issuer, orders: audience, provider } = deployment
    const told: unknown[] = []
    const span = {
      addEvent: (...event: unknown[]) => told.push(event),
      setAttributes: (attributes: object) => told.push(attributes),
    }
    const { traceEvents } = await snippets.load('Traces')
    const { traceCallers } = await snippets.load('Traces', 1)
    ;(traceEvents as (provider: Provider, activeSpan: () => object) => void)(provider, () => span)
    const api = resourceServer({ issuer, audience })
    const trace = (traceCallers as (activeSpan: () => object) => Requirement)(() => span)
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { id, subjectToken } = await deployment.start()
    const { body } = await deployment.exchange({ subject_token: subjectToken, actor_token })
    await deployment.events(2)
    const token = String(body.access_token)
    const { actor } = await api.authenticate(`Bearer ${token}`, trace)
    expect(actor).to.deep.equal({ sub: 'olivia' })
    const { jti } = decodeJwt(token)
    expect(jti).to.match(/^impersonation:/)
    expect(told).to.deep.equal([
      ['impersonation.issued', { 'impersonation.id': id, 'actor.id': '' }],
      ['impersonation.started', { 'impersonation.id': id, 'actor.id': 'olivia' }],
      { 'impersonation.id': id, 'actor.id': 'olivia' },
    ])
  })
})
