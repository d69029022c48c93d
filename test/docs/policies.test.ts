import { expect } from 'chai'
import {
  type Authorize,
  allOf,
  type BindingMember,
  type Configuration,
  type ContextValidator,
  type ImpersonationOptions,
  type ManagementClients,
} from '../../src/index.ts'
import { CLIENTS, type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

const BACKEND = CLIENTS[0]

describe('docs/policies.md', () => {
  let snippets: Snippets
  let deployment: Deployment | undefined

  before(async () => {
    snippets = await snippetsOf('policies.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  afterEach(async () => {
    await deployment?.close()
    deployment = undefined
  })

  async function deployed(impersonation: Partial<ImpersonationOptions>): Promise<Deployment> {
    deployment = await deploy({ impersonation })
    return deployment
  }

  /** Runs with another time of day. */
  async function at(time: string, run: () => Promise<unknown>): Promise<void> {
    const real = Date.now
    Date.now = () => Date.parse(time)
    try {
      await run()
    } finally {
      Date.now = real
    }
  }

  it('begins with a policy that looks at the operator and the ticket', async () => {
    const { authorize } = await snippets.load('Your first policy')
    const { exchange, issue } = await deployed({ authorize: authorize as Authorize })
    const { access_token: actor_token } = await signIn(deployment as Deployment, 'olivia')
    const mayAct = { sub: 'olivia' }
    expect((await issue({ userId: 'alice' })).status).to.equal(403)
    for (const [context, seconds] of [
      [{ ticketId: 'SUP-123' }, 900],
      [{ ticketId: 'SUP-124' }, 300],
      [{}, 300],
    ] as const) {
      const { body } = await issue({ userId: 'alice', mayAct, context })
      const answer = await exchange({ subject_token: body.subjectToken, actor_token })
      expect(answer.body.expires_in).to.equal(seconds)
    }
  })

  it('protects administrators, a job without an operator, and groups that act for groups', async () => {
    const { protectAdministrators } = await snippets.load('Protect administrators first')
    const { personOrJob } = await snippets.load('A job without an operator')
    const { groupsForGroups } = await snippets.load('Groups that act for groups')
    const rules = [protectAdministrators, personOrJob, groupsForGroups] as [
      Authorize,
      Authorize,
      Authorize,
    ]
    const { issue } = await deployed({ authorize: allOf(...rules) })
    const olivia = { mayAct: { sub: 'olivia' } }
    expect((await issue({ userId: 'alice', ...olivia })).status).to.equal(201)
    expect((await issue({ userId: 'bob', ...olivia })).status).to.equal(403)
    expect((await issue({ userId: 'alice' })).status).to.equal(403)

    const ask = async (rule: unknown, request: object) =>
      await (rule as (asked: object) => unknown)(request)
    expect(await ask(protectAdministrators, { account: { accountId: 'root' } })).to.equal(false)
    expect(await ask(personOrJob, { client: { clientId: 'nightly-export' } })).to.equal(true)
    expect(await ask(personOrJob, { client: { clientId: 'console' } })).to.equal(false)
    const nobody = { actor: { sub: 'nobody' }, account: { accountId: 'nobody' } }
    expect(await ask(groupsForGroups, nobody)).to.equal(false)
  })

  it('a closed organisation: what runs ends, what waits redeems nothing, and others go on', async () => {
    const { openOrganisations, closeToSupport } = await snippets.load('A closed organisation')
    const { issue, exchange, provider } = await deployed({
      authorize: openOrganisations as Authorize,
    })
    expect((await issue({ userId: 'olivia' })).status, 'of no organisation').to.equal(403)
    const running = await issue({ userId: 'bob' })
    expect((await exchange({ subject_token: running.body.subjectToken })).status).to.equal(200)
    const waiting = await issue({ userId: 'bob' })
    await (closeToSupport as (...args: unknown[]) => Promise<void>)(provider, 'kestrel')
    expect((await provider.impersonation.list({ state: 'active' })).items).to.deep.equal([])
    expect((await exchange({ subject_token: waiting.body.subjectToken })).status).to.equal(400)
    expect((await issue({ userId: 'bob' })).status).to.equal(403)
    expect((await issue({ userId: 'alice' })).status).to.equal(201)
  })

  it('lets an operator act as themselves if no rule refuses it', async () => {
    const { issue, exchange } = await deployed({})
    const { access_token: actor_token } = await signIn(deployment as Deployment, 'olivia')
    const { body } = await issue({ userId: 'olivia', mayAct: { sub: 'olivia' } })
    const { status } = await exchange({ subject_token: body.subjectToken, actor_token })
    expect(status).to.equal(200)
  })

  it('never as themselves, and never as another operator', async () => {
    const rule = await snippets.load('Never as themselves, never as an operator')
    const { issue } = await deployed({
      authorize: rule.customersOnly as Authorize,
    })
    const statusOf = async (userId: string, mayAct?: object) =>
      (await issue({ userId, ...(mayAct && { mayAct }) })).status
    expect(await statusOf('alice', { sub: 'olivia' })).to.equal(201)
    expect(await statusOf('olivia', { sub: 'olivia' }), 'as themselves').to.equal(403)
    expect(await statusOf('alice', { sub: 'alice' }), 'a customer, as themselves').to.equal(403)
    expect(await statusOf('olivia', { sub: 'bob' }), 'as an operator').to.equal(403)
    expect(await statusOf('alice'), 'without an operator').to.equal(403)
  })

  it('second-level support alone: by the groups of the account, asked again at the exchange', async () => {
    const second = await snippets.load('Second-level support alone')
    const users = second.users as Map<string, { id: string; groups: string[] }>
    deployment = await deploy({
      configuration: { findAccount: second.findAccount as Configuration['findAccount'] },
      impersonation: {
        actorToken: { required: true },
        authorize: second.secondLevelOnly as Authorize,
      },
    })
    const { issue, exchange } = deployment
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const issued = async (sub: string) => await issue({ userId: 'alice', mayAct: { sub } })
    expect((await issued('oscar')).status).to.equal(403)
    expect((await issue({ userId: 'alice' })).status).to.equal(403)
    const { body } = await issued('olivia')
    users.set('olivia', { id: 'olivia', groups: ['support-1'] })
    const form = { subject_token: body.subjectToken, actor_token }
    const refused = await exchange(form)
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'access_denied'])
    users.set('olivia', { id: 'olivia', groups: ['support-2'] })
    expect((await exchange(form)).status).to.equal(200)
  })

  it('tells the operator why: the caller reads no reason, and the log has it', async () => {
    const { authorize, whyNot } = await snippets.load('Tell the operator why')
    const { issue } = await deployed({ authorize: authorize as Authorize })
    deployment?.accounts.add('admin-1')
    const lines: string[] = []
    const { warn } = console
    console.warn = (line: string) => lines.push(line)
    const mayAct = { sub: 'olivia' }
    const { status, body } = await issue({ userId: 'admin-1', mayAct }).finally(() => {
      console.warn = warn
    })
    expect([status, body.error_description]).to.deep.equal([403, 'refused by policy'])
    const why = 'Nobody acts as an administrator.'
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal([
      { refused: why, stage: 'issue', userId: 'admin-1', actor: 'olivia' },
    ])
    const ask = whyNot as (operator: string, userId: string) => Promise<string | undefined>
    expect(await ask('olivia', 'admin-1')).to.equal(why)
    expect((await issue({ userId: 'alice', mayAct })).status).to.equal(201)
  })

  it('only in business hours: at issue, and again at the exchange', async () => {
    const { businessHours } = await snippets.load('Only in business hours')
    const { issue, exchange } = await deployed({ authorize: businessHours as Authorize })
    const open = ['2099-07-15T06:00:00Z', '2099-07-15T15:59:59Z', '2099-01-14T07:00:00Z']
    open.push('2026-12-24T10:00:00Z')
    for (const time of open) {
      await at(time, async () => expect((await issue({ userId: 'alice' })).status).to.equal(201))
    }
    const closed: [why: string, time: string][] = [
      ['too early in summer', '2099-07-15T05:59:59Z'],
      ['too late in summer', '2099-07-15T16:00:00Z'],
      ['too early in winter', '2099-01-14T06:59:59Z'],
      ['midnight', '2099-07-14T22:30:00Z'],
      ['a Saturday', '2099-07-18T10:00:00Z'],
      ['a Sunday', '2099-07-19T10:00:00Z'],
      ['a holiday', '2026-12-25T10:00:00Z'],
    ]
    for (const [why, time] of closed) {
      await at(time, async () => {
        const { status, body } = await issue({ userId: 'alice' })
        expect([status, body.error], why).to.deep.equal([403, 'access_denied'])
      })
    }
    let subject_token = ''
    await at('2099-07-15T15:55:00Z', async () => {
      subject_token = (await issue({ userId: 'alice' })).body.subjectToken
    })
    await at('2099-07-15T16:01:00Z', async () => {
      const { status, body } = await exchange({ subject_token })
      expect([status, body.error]).to.deep.equal([400, 'access_denied'])
    })
    await at('2099-07-15T15:58:00Z', async () => {
      expect((await exchange({ subject_token })).status, 'refusal redeems nothing').to.equal(200)
    })
  })

  it('read-only by default, unless it was said at issue', async () => {
    const { readOnlyByDefault } = await snippets.load('Read-only by default')
    const { issue, exchange } = await deployed({ authorize: readOnlyByDefault as Authorize })
    const scope = 'orders:read orders:write'
    const granted = async (body: object, asked: string | undefined = scope) => {
      const issued = await issue({ userId: 'alice', ...body })
      if (issued.status !== 201) return [issued.status, issued.body.error]
      const answer = await exchange({ subject_token: issued.body.subjectToken, scope: asked })
      return [answer.status, answer.body.scope ?? answer.body.error]
    }
    const write = { context: { write: true } }
    expect(await granted({})).to.deep.equal([200, 'orders:read'])
    expect(await granted({ scope })).to.deep.equal([200, 'orders:read'])
    expect(await granted({ ...write, scope })).to.deep.equal([200, scope])
    expect(await granted(write)).to.deep.equal([200, scope])
    expect(await granted({ context: { write: 'true' } })).to.deep.equal([200, 'orders:read'])
    expect(await granted({ scope: 'orders:write' })).to.deep.equal([403, 'access_denied'])
    expect(await granted({}, '')).to.deep.equal([200, undefined])
  })

  it('compulsory reason and ticket: by a function and by zod, the same', async () => {
    for (const index of [0, 1]) {
      const { contextSchema } = await snippets.load('Compulsory reason and ticket', index)
      const { issue, close } = await deploy({
        impersonation: { contextSchema: contextSchema as ContextValidator },
      })
      const ask = async (context?: object) => {
        const { status, body } = await issue({ userId: 'alice', ...(context ? { context } : {}) })
        return [status, body.error_description]
      }
      const reason = 'Order lost in the post'
      const [status] = await ask({ reason, ticketId: 'SUP-123', supportEngineerId: 'olivia' })
      expect(status).to.equal(201)
      const ticket = 'context.ticketId: must be a ticket such as SUP-123'
      expect(await ask({ reason, ticketId: 'none' })).to.deep.equal([400, ticket])
      expect(await ask({ reason: 'because', ticketId: '123' })).to.deep.equal([
        400,
        `context.reason: must have at least 10 characters; ${ticket}`,
      ])
      const [missing, fields] = await ask()
      expect(missing).to.equal(400)
      expect(fields).to.include('context.reason: ').and.include('context.ticketId: ')
      await close()
    }
  })

  it('every token bound: to the operator, the resource, the scopes, and not for long', async () => {
    const options = (await snippets.load('Every token bound')).impersonation as ImpersonationOptions
    const { issue, m2mToken, orders } = await deployed(options)
    const token = await m2mToken({ resource: options.managementApi?.resource ?? '' })
    const bound = {
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: 'console' },
      resource: orders,
      scope: 'orders:read',
      expiresIn: 60,
    }
    expect((await issue(bound, { token })).status).to.equal(201)
    const members: readonly BindingMember[] = ['mayAct', 'resource', 'scope', 'expiresIn']
    for (const member of members) {
      const { status, body } = await issue({ ...bound, [member]: undefined }, { token })
      expect([status, body.error_description]).to.deep.equal([400, `${member} is required`])
    }
    const nobody = await issue({ ...bound, mayAct: { clientId: 'console' } }, { token })
    expect([nobody.status, nobody.body.error]).to.deep.equal([403, 'access_denied'])
  })

  it('who may issue: a function that looks the client up', async () => {
    const clients = (await snippets.load('Who may issue')).clients as ManagementClients
    deployment = await deploy({
      impersonation: { managementApi: { clients } },
      clients: [{ ...BACKEND, client_id: 'support-backend' }],
    })
    const unnamed = await deployment.m2mToken().catch(String)
    expect(unnamed).to.include('invalid_target').and.include('managementApi.clients')
    const token = await deployment.m2mToken({}, ['support-backend', 'backend-secret'])
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
  })

  it('a recent sign-in: of the operator, to the same client', async () => {
    const { actorToken } = await snippets.load('A recent sign-in')
    const it = await deployed({ actorToken: actorToken as ImpersonationOptions['actorToken'] })
    const { access_token: actor_token } = await signIn(it, 'olivia')
    const web = { authorization: `Basic ${btoa('web:web-secret')}` }
    const other = await signIn(it, 'olivia', { clientId: 'web', headers: web })
    const subject_token = await it.subjectToken()
    const statusOf = async (form: object) => (await it.exchange({ subject_token, ...form })).status
    expect(await statusOf({})).to.equal(400)
    expect(await statusOf({ actor_token: other.access_token })).to.equal(400)
    const later = new Date(Date.now() + 902_000).toISOString()
    await at(later, async () => {
      const fresh = await it.subjectToken()
      expect((await it.exchange({ subject_token: fresh, actor_token })).status).to.equal(400)
    })
    expect(await statusOf({ actor_token })).to.equal(200)
  })
})
