import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { Authorize, Provider } from '../../src/index.ts'
import { compile } from '../support/compile.ts'
import { type Managed, managing } from '../support/managing.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'
import { type LogLine, matchingRules } from './sigma.ts'

/** The text format of Prometheus: a comment, or a metric with labels and a value. */
const COMMENT = /^# (?:HELP \w+ .+|TYPE \w+ counter)$/
const SAMPLE = /^(\w+(?:\{\w+="[^"\\\n]*"(?:,\w+="[^"\\\n]*")*\})?) (\d+)$/

/** A YAML file that the page links. */
async function yamlOf(name: string): Promise<string> {
  const path = `examples/production/${name}`
  const page = await readFile(new URL('../../docs/production.md', import.meta.url), 'utf8')
  expect(page).to.include(`](../${path})`)
  return await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
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

describe('docs/production.md', function () {
  this.timeout(60_000)
  let snippets: Snippets
  let deployment: Managed

  before(async () => {
    snippets = await snippetsOf('production.md')
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

  it('compiles by the strictest settings', async () => {
    expect(await compile(['-p', join(snippets.folder, 'tsconfig.json')])).to.equal('')
  })

  it('metrics.ts counts every event in the text format of Prometheus, and the alerts name what it counts', async () => {
    deployment = await managing({ impersonation: { authorize: protectBob } })
    const { impersonationMetrics } = await snippets.load('Monitoring')
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
    const events = await snippetsOf('events.md')
    const { logEvents } = await events.load('# Events')
    await events[Symbol.asyncDispose]()
    const lines: LogLine[] = []
    const { log } = console
    console.log = (line: string) => lines.push(JSON.parse(line))
    try {
      ;(logEvents as (provider: Provider) => void)(deployment.provider)
      await history(4)
      const yaml = await yamlOf('impersonation-misuse.yml')
      const ordinary = lines.filter(({ name }) =>
        ['impersonation.issued', 'impersonation.started', 'impersonation.ended'].includes(
          `${name}`,
        ),
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
    } finally {
      console.log = log
    }
  })

  it('kill-switch.ts: nothing is issued or exchanged while it is off, and all that ran has ended', async () => {
    const { withKillSwitch, endEverything } = await snippets.load('The kill switch')
    let isOff = false
    const wrap = withKillSwitch as (isOff: () => Promise<boolean>, rule: Authorize) => Authorize
    deployment = await managing({
      impersonation: { authorize: wrap(async () => isOff, protectBob) },
    })
    const { token, provider } = deployment
    expect((await deployment.issue({ userId: 'bob' }, { token })).status).to.equal(403)
    const running = await deployment.start()
    expect((await deployment.exchange({ subject_token: running.subjectToken })).status).to.equal(
      200,
    )
    const waiting = await deployment.start()
    isOff = true
    const refused = await deployment.exchange({ subject_token: waiting.subjectToken })
    expect(refused.body.error).to.equal('access_denied')
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(403)
    const end = endEverything as (provider: Provider, clients: string[]) => Promise<number>
    expect(await end(provider, ['backend'])).to.equal(2)
    for (const { id } of [running, waiting]) {
      expect((await provider.impersonation.get(id))?.state).to.equal('ended')
    }
    isOff = false
    expect((await deployment.exchange({ subject_token: waiting.subjectToken })).status).to.equal(
      400,
    )
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
  })
})
