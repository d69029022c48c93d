import { expect } from 'chai'
import {
  type Authorize,
  allOf,
  type ContextValidator,
  type ImpersonationOptions,
  type ManagementClients,
} from '../../src/index.ts'
import { CLIENTS, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { call, snippetsOf } from './documents.ts'

const BACKEND = CLIENTS[0]
const BOTH = 'orders:read orders:write'
const BOUND = { userId: 'alice', mayAct: { sub: 'olivia' } }

/** The question to a rule: by whom, as whom. */
const asked = (sub: string | undefined, accountId = 'alice', more = {}) => ({
  stage: 'issue',
  client: { clientId: 'console' },
  account: { accountId },
  actor: sub && { sub },
  context: {},
  ...more,
})
const write = { context: { write: true } }
const BILLING = { client: { clientId: 'billing-backend' } }
const BILLING_API = 'https://billing.example.com'

/** test/policy/ has what the provider makes of an answer. */
const ANSWERS: Readonly<
  Record<string, [rule: string, ...rows: [asked: object, answer: unknown][]]>
> = {
  'Your first policy': [
    'authorize',
    [asked(undefined), false],
    [asked('olivia', 'alice', { context: { ticketId: 'SUP-123' } }), true],
    [asked('olivia', 'alice', { context: { ticketId: 'SUP-124' } }), { accessTokenTtl: 300 }],
  ],
  'Protect administrators first': [
    'protectAdministrators',
    [asked('olivia'), true],
    [asked('olivia', 'root'), false],
  ],
  'Never as themselves, never as an operator': [
    'customersOnly',
    [asked('olivia'), true],
    [asked('alice'), false],
    [asked('bob', 'olivia'), false],
    [asked(undefined), false],
  ],
  'Many organisations: only your own customers': [
    'ownOrganisations',
    [asked('olivia'), true],
    [asked('olivia', 'bob'), false],
    [asked(undefined), false],
  ],
  'Who may issue': [
    'limitedBackends',
    [asked('olivia', 'bob', { ...BILLING, resource: [BILLING_API] }), false],
    [asked('olivia', 'alice', BILLING), false],
    [asked('olivia', 'alice', { ...BILLING, resource: [BILLING_API] }), true],
  ],
  'Only second-level support': [
    'secondLevelOnly',
    [asked('olivia'), true],
    [asked('oscar'), false],
    [asked('nobody'), false],
    [asked(undefined), false],
  ],
  'A job without an operator': [
    'personOrJob',
    [asked('olivia'), true],
    [asked(undefined), false],
    [asked(undefined, 'alice', { client: { clientId: 'nightly-export' } }), true],
  ],
  'Several rules': [
    'authorize',
    [asked('olivia'), { accessTokenTtl: 900 }],
    [asked('olivia', 'admin-1'), false],
  ],
  'Every token bound': ['authorize', [asked('olivia'), true], [asked(undefined), false]],
  'Read-only by default': [
    'readOnlyByDefault',
    [asked('olivia'), { scope: 'orders:read' }],
    [asked('olivia', 'alice', { scope: BOTH }), { scope: 'orders:read' }],
    [asked('olivia', 'alice', { scope: 'orders:write' }), false],
    [
      asked('olivia', 'alice', { scope: BOTH, context: { write: 'true' } }),
      { scope: 'orders:read' },
    ],
    [asked('olivia', 'alice', { scope: BOTH, ...write }), true],
    [asked('olivia', 'alice', { stage: 'exchange' }), true],
  ],
}

describe('docs/policies.md', () => {
  const snippets = shared(() => snippetsOf('policies.md'))
  const inJs = shared(() => snippetsOf('policies.md', 'js'))

  for (const [heading, [name, ...rows]] of Object.entries(ANSWERS)) {
    it(`${heading}: the rule answers as the page says`, async () => {
      const loaded = { ...(await inJs.load(heading).catch(() => snippets.load(heading))) }
      const rule = loaded[name] ?? Object(loaded.impersonation)[name]
      for (const [request, answer] of rows) {
        expect(await call(rule, request), JSON.stringify(request)).to.deep.equal(answer)
      }
    })
  }

  it('a closed organisation: what runs ends, what waits redeems nothing, and others go on', async () => {
    const { openOrganisations, closeToSupport } = await snippets.load('A closed organisation')
    const authorize = openOrganisations as Authorize
    await using deployment = await deploy({ impersonation: { authorize } })
    const { issue, exchange, provider } = deployment
    const [bob, alice] = [{ userId: 'bob' }, { userId: 'alice' }]
    await expectAnswer(issue({ userId: 'olivia' }), 403, undefined, 'of no organisation')
    const running = await deployment.subjectToken(bob)
    await expectAnswer(exchange({ subject_token: running }), 200)
    const waiting = await deployment.subjectToken(bob)
    await call(closeToSupport, provider, 'kestrel')
    expect((await provider.impersonation.list({ state: 'active' })).items).to.deep.equal([])
    await expectAnswer(exchange({ subject_token: waiting }), 400)
    await expectAnswer(issue(bob), 403)
    await expectAnswer(issue(alice), 201)
  })

  it('a ticket that is reassigned: what runs for it ends, what waits is refused, and others go on', async () => {
    const { assigneeOnly, reassign } = await snippets.load('A ticket that is reassigned')
    const authorize = assigneeOnly as Authorize
    await using deployment = await deploy({ impersonation: { authorize } })
    const { issue, exchange, provider } = deployment
    const wish = { ...BOUND, context: { ticketId: 'SUP-123' } }
    await expectAnswer(issue({ ...wish, mayAct: { sub: 'oscar' } }), 403)
    const actor_token = await deployment.actorToken()
    const running = await deployment.subjectToken(wish)
    const waiting = await deployment.subjectToken(wish)
    await expectAnswer(exchange({ subject_token: running, actor_token }), 200)
    await call(reassign, provider, 'SUP-123', 'oscar')
    const { items } = await provider.impersonation.list({ actor: 'olivia' })
    expect(items.map(({ state, end }) => [state, end?.reason])).to.deep.equal([
      ['ended', 'reassigned'],
      ['ended', 'reassigned'],
    ])
    await expectAnswer(exchange({ subject_token: waiting, actor_token }), 400)
    await expectAnswer(issue({ ...wish, mayAct: { sub: 'oscar' } }), 201)
  })

  it('lets an operator act as themselves if no rule refuses it', async () => {
    await using deployment = await deploy()
    const actor_token = await deployment.actorToken()
    const request = { userId: 'olivia', mayAct: { sub: 'olivia' } }
    const subject_token = await deployment.subjectToken(request)
    await expectAnswer(deployment.exchange({ subject_token, actor_token }), 200)
  })

  it('tells the operator why: the caller reads no reason, and the log has it', async () => {
    const { authorize, whyNot } = await snippets.load('Tell the operator why')
    const { warn } = console
    const lines: string[] = []
    console.warn = (line: string) => lines.push(line)
    const answer = await call(authorize, asked('olivia', 'admin-1'))
    console.warn = warn
    const why = 'Nobody acts as an administrator.'
    expect([answer, ...lines.map((line) => JSON.parse(line))]).to.deep.equal([
      false,
      { refused: why, stage: 'issue', userId: 'admin-1', actor: 'olivia' },
    ])
    expect(await call(whyNot, 'olivia', 'admin-1')).to.equal(why)
    expect(await call(whyNot, 'olivia', 'alice')).to.equal(undefined)
  })

  it('only in business hours', async () => {
    const { businessHours } = await snippets.load('Only in business hours')
    const { now } = Date
    const isOpen = (time: string) => {
      Date.now = () => Date.parse(time)
      try {
        return call(businessHours)
      } finally {
        Date.now = now
      }
    }
    const open = ['2099-07-15T06:00:00Z', '2099-07-15T15:59:59Z', '2099-01-14T07:00:00Z']
    for (const time of open) expect(isOpen(time), time).to.equal(true)
    for (const [why, time] of [
      ['too early in summer', '2099-07-15T05:59:59Z'],
      ['too late in summer', '2099-07-15T16:00:00Z'],
      ['too early in winter', '2099-01-14T06:59:59Z'],
      ['a Sunday', '2099-07-19T10:00:00Z'],
      ['a holiday', '2026-12-25T10:00:00Z'],
    ] as const) {
      expect(isOpen(time), why).to.equal(false)
    }
  })

  it('mandatory reason and ticket', async () => {
    const { contextSchema } = await snippets.load('Mandatory reason and ticket')
    await using deployment = await deploy({
      impersonation: { contextSchema: contextSchema as ContextValidator },
    })
    const ask = async (context?: object) => {
      const { status, body } = await deployment.issue({ userId: 'alice', context })
      return [status, body.error_description]
    }
    const ticket = 'context.ticketId: must be a ticket such as SUP-123'
    const reason = 'context.reason: must have at least 10 characters'
    const [status] = await ask({ reason: 'Order lost in the post', ticketId: 'SUP-123' })
    expect(status).to.equal(201)
    const wrong = await ask({ reason: 'because', ticketId: '123' })
    expect(wrong).to.deep.equal([400, `${reason}; ${ticket}`])
    const [missing, fields] = await ask()
    expect(missing).to.equal(400)
    expect(fields).to.include('context.reason: ').and.include('context.ticketId: ')
  })

  it('has options that a provider takes: every token bound, a recent sign-in, who may issue', async () => {
    const bound = (await snippets.load('Every token bound')).impersonation as ImpersonationOptions
    const { actorToken } = await snippets.load('A recent sign-in')
    const clients = (await snippets.load('Who may issue')).clients as ManagementClients
    await using deployment = await deploy({
      impersonation: {
        actorToken: actorToken as ImpersonationOptions['actorToken'],
        managementApi: { ...bound.managementApi, clients },
      },
      clients: [{ ...BACKEND, client_id: 'support-backend' }],
    })
    const resource = String(bound.managementApi?.resource)
    const unnamed = await deployment.m2mToken({ resource }).catch(String)
    expect(unnamed).to.include('invalid_target').and.include('managementApi.clients')
    const token = await deployment.m2mToken({ resource }, ['support-backend', 'backend-secret'])
    const wish = { ...BOUND, resource: deployment.orders, scope: 'orders:read', expiresIn: 60 }
    const { body } = await deployment.issue(wish, { token })
    const { body: refused } = await deployment.issue({ ...wish, expiresIn: undefined }, { token })
    expect(refused.error_description).to.equal('expiresIn is required')
    const subject_token = body.subjectToken
    await expectAnswer(deployment.exchange({ subject_token }), 400, undefined, 'no operator')
    const actor_token = await deployment.actorToken()
    await expectAnswer(deployment.exchange({ subject_token, actor_token }), 200)
  })

  it('throttles client by client and operator by operator: 429 with Retry-After; a preview counts nothing', async () => {
    const { throttled } = await snippets.load('Throttling')
    const authorize = allOf(throttled as Authorize, () => true)
    await using deployment = await deploy({ impersonation: { authorize } })
    const { impersonation } = deployment.provider
    const preview = () => impersonation.preview(BOUND, { as: 'backend' })
    for (const { verdict } of await Promise.all(Array.from({ length: 70 }, preview))) {
      expect(verdict).to.equal('allowed')
    }
    const token = await deployment.m2mToken()
    const issue = async (count: number, body: object) => {
      const ask = () => deployment.issue(body, { token })
      const answers = await Promise.all(Array.from({ length: count }, ask))
      const late = answers.find(({ status }) => status === 429)
      expect(Number(late?.headers.get('retry-after'))).to.be.within(1, 60)
      return answers.filter(({ status }) => status === 201).length
    }
    expect(await issue(21, BOUND), 'for an operator').to.equal(20)
    expect(await issue(40, { userId: 'alice' }), 'of a client').to.equal(39)
  })
})
