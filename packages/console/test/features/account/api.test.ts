import { expect } from 'chai'
import type { AccountAnswer } from '../../../src/features/account/server/lists.ts'
import type { AccountImpersonation } from '../../../src/web/account-card.ts'
import type { DescribedUse } from '../../../src/web/use-words.ts'
import { interceptCalls, many } from '../../ledger/stores/contract/support.ts'
import { begunAnew } from '../../support/begun-anew.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'

/** The words of the shop. Changing a note is hidden. */
function describeUse({ method, path, refused }: DescribedUse, language: string) {
  if (path?.endsWith('/note')) return undefined
  if (refused) return language === 'de' ? 'E-Mail ändern' : 'Change your e-mail address'
  if (method !== 'GET') throw new Error('no words for this')
  return language === 'de' ? 'Bestellungen angesehen' : 'Looked at your orders'
}

/** The id of no impersonation. */
const NOTHING = 'A'.repeat(43)

const ACCOUNT = { clientId: 'customer-account', describe: describeUse }

describe('the API of the account page', () => {
  let deployment: Deployment

  const restart = begunAnew(
    async (options: DeploymentOptions = { console: { account: ACCOUNT } }) => {
      deployment = await deploy(options)
      return deployment
    },
  )

  const ask: Deployment['account'] = (...request) => deployment.account(...request)

  /** Starts to act as Alice. */
  const started = () => deployment.impersonate()
  const object = (id: string, who = 'alice', note?: unknown) => ask(who, '/objection', { id, note })
  const runningFor = async (who: string) => (await deployment.accountOf(who)).running
  const listOf = async (who: string): Promise<readonly AccountImpersonation[]> =>
    (await deployment.accountOf(who)).past.impersonations

  describe('tells the customer', () => {
    it('who acted, for which ticket, and what they did, in the words of the application', async () => {
      const running = await deployment.impersonate({ reason: 'A secret suspicion' })
      const { look, change, refused } = running
      for (const act of [look, look, look, change, refused]) await act()
      const { body, text } = await ask('alice', '')
      const [told] = body.past.impersonations
      expect(told).to.deep.include({
        id: running.id,
        operator: { id: 'olivia', name: 'Olivia Okafor' },
        ticket: 'SUP-123',
        application: 'Shop',
        state: 'running',
        canChange: true,
        replays: 0,
      })
      expect(told.did.map(({ at: _, ...done }: { at: number }) => done)).to.deep.equal([
        { text: 'Looked at your orders', count: 3, refused: false },
        { text: 'Change your e-mail address', count: 1, refused: true },
      ])
      // The note is hidden: it is in no number either.
      expect(told).to.not.have.any.keys('more', 'reason', 'customer', 'jti', 'endedAt')
      expect(text).to.not.match(/suspicion|"note"|olivia@|"jti"|support-backend/)
      expect(told.startedAt).to.be.within(Date.now() - 60_000, Date.now() + 1000)
      expect(told.expiresAt).to.be.above(Date.now())
    })

    it('the same in German', async () => {
      await (await deployment.impersonate()).look()
      const { accessToken } = await deployment.signIn('alice', { clientId: 'customer-account' })
      const german = { authorization: `Bearer ${accessToken}`, 'accept-language': 'de' }
      const [told] = (await ask(german, '')).body.past.impersonations
      expect(told?.did).to.deep.include({ ...told?.did[0], text: 'Bestellungen angesehen' })
    })

    it('numbers, where the deployment has no words, or they fail', async () => {
      const fails = () => {
        throw new Error('out of words')
      }
      for (const words of [undefined, fails, () => 5, () => ' ', async () => 'later']) {
        const account = { clientId: 'customer-account', describe: words as () => string }
        await restart({ console: { account } })
        const { look, change, refused } = await deployment.impersonate()
        for (const act of [look, look, change, refused]) await act()
        const [told] = await listOf('alice')
        expect(told).to.deep.include({ did: [], more: { reads: 2, changes: 1, refused: 1 } })
      }
    })

    it('how each impersonation ended, the newest first', async () => {
      const states: Record<string, string> = {}
      const own = await deployment.impersonate({ ticket: 'SUP-1' })
      states[own.id] = 'user'
      expectStatus(await ask('alice', '/end', { id: own.id }), 204)
      const byOperator = await deployment.impersonate({ ticket: 'SUP-2' })
      states[byOperator.id] = 'requested'
      await byOperator.end()
      const again = await deployment.impersonate({ ticket: 'SUP-3', access: 'read' })
      states[again.id] = 'running'
      expect(await again.replay()).to.equal(400)
      const request = { userId: 'alice', ticketId: 'SUP-4', reason: 'x', application: 'shop' }
      const waiting = await deployment.ask('olivia', '/impersonations', {
        ...request,
        access: 'read',
      })
      expectStatus(waiting, 201)
      const told = await listOf('alice')
      expect(told.map(({ ticket }) => ticket)).to.deep.equal(['SUP-4', 'SUP-3', 'SUP-2', 'SUP-1'])
      expect(told[0]).to.include({ state: 'waiting' }).and.to.not.have.property('canChange')
      expect(told[1]).to.include({ canChange: false, replays: 1 })
      for (const { id, state, endedAt } of told.slice(2)) {
        expect(state).to.equal(states[id])
        expect(endedAt).to.be.above(0)
      }
      expect(['running', 'replay']).to.include(told[1]?.state)
    })

    it('that a request was refused, and not why: there is nothing to object to, and leads know', async () => {
      const refused = await deployment.ask('olivia', '/impersonations', {
        userId: 'paula',
        ticketId: 'SUP-7',
        reason: 'Curious',
        application: 'shop',
        access: 'read',
      })
      expectStatus(refused, 403)
      await deployment.settled()
      const { body, text } = await ask('paula', '')
      expect(body.past.impersonations).to.have.length(1)
      const [told] = body.past.impersonations
      expect(told).to.deep.include({ state: 'refused', ticket: 'SUP-7', did: [] })
      expect(text).to.not.match(/Curious|colleague|works for us|access_denied/)
      expectStatus(await ask('paula', '/objection', { id: told.id }), 404)
      const [alarm] = (await deployment.read('ada', '/audit?alarm=any')).rows
      expect(alarm.alarm.kinds).to.deep.equal(['protected'])
    })

    it('nothing of others', async () => {
      await deployment.impersonate({ customer: 'bob' })
      expect(await listOf('alice')).to.deep.equal([])
      expect(await runningFor('alice')).to.deep.equal([])
      expect(await listOf('bob')).to.have.length(1)
      // Not even to the operator who did it: it is about the customer.
      expect(await listOf('olivia')).to.deep.equal([])
    })

    it('page by page', async () => {
      for (let number = 0; number < 5; number += 1) {
        await deployment.impersonate({ ticket: `SUP-${number}` })
        await deployment.impersonate({ customer: 'bob' })
      }
      const pages: (string | undefined)[][] = []
      for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
        const { impersonations, next }: AccountAnswer = (await deployment.accountOf('alice', query))
          .past
        pages.push(impersonations.map(({ ticket }) => ticket))
        query = next === undefined ? undefined : `?limit=2&before=${next}`
      }
      expect(pages).to.deep.equal([['SUP-4', 'SUP-3'], ['SUP-2', 'SUP-1'], ['SUP-0']])
    })
  })

  describe('ends', () => {
    it('what runs, as the customer', async () => {
      const running = await started()
      const [shown, ...others] = await runningFor('alice')
      expect(others).to.deep.equal([])
      expect(shown).to.deep.include({
        id: running.id,
        state: 'running',
        operator: { id: 'olivia', name: 'Olivia Okafor' },
        ticket: 'SUP-123',
        application: 'Shop',
      })
      expectStatus(await ask('alice', '/end', { id: running.id }), 204)
      expect(await runningFor('alice')).to.deep.equal([])
      // The answer waits until the audit has it.
      expect((await listOf('alice'))[0]).to.include({ state: 'user' })
      const row = await deployment.audit.row(running.id)
      expect(row?.end).to.include({ cause: 'user', by: 'alice' })
      expect(row?.alarm).to.equal(undefined)
      expectStatus(await ask('alice', '/end', { id: running.id }), 204)
    })

    it('nothing of others, with the same answer as for nothing', async () => {
      const running = await deployment.impersonate()
      const others = await ask('bob', '/end', { id: running.id })
      const nothing = await ask('bob', '/end', { id: NOTHING })
      expectStatus(others, 404)
      expect(others.text).to.equal(nothing.text)
      for (const id of ['', 'A'.repeat(44), '\0']) {
        expect((await ask('alice', '/end', { id })).text).to.equal(nothing.text)
      }
      for (const id of [5, null, [running.id], { id: running.id }]) {
        const { status, body } = await ask('alice', '/end', { id })
        expect([status, body.error_description]).to.deep.equal([400, 'id must be a text'])
      }
      expect(await runningFor('alice')).to.have.length(1)
    })
  })

  describe('takes an objection', () => {
    it('which leads see as an alarm, with the note', async () => {
      const running = await deployment.impersonate()
      const note = 'I did not call <b>anyone</b>'
      expectStatus(await object(running.id, 'alice', note), 200)
      const [row] = (await deployment.read('grace', '/audit?alarm=open')).rows
      expect(row).to.deep.include({ id: running.id })
      expect(row.objection).to.include({ note })
      expect(row.alarm.kinds).to.deep.equal(['objection'])
      const [told] = await listOf('alice')
      expect(told?.objectedAt).to.equal(row.objection.at)
      expect(await runningFor('alice'), 'it ended').to.deep.equal([])
    })

    it('once for each impersonation, also of ten at the same time', async () => {
      const { id } = await started()
      const answers = await Promise.all(many(10, () => object(id)))
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([
        200,
        ...Array(9).fill(409),
      ])
      expect((await object(id)).body.error).to.equal('already_objected')
      expect((await deployment.audit.row(id))?.alarm).to.include({ count: 1 })
    })

    it('once, also while the first one is not stored yet', async () => {
      const [first, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const audit = interceptCalls(memoryAudit(), 'row', () => {
        first.resolve()
        return release.promise
      })
      await restart({ audit, console: { account: ACCOUNT } })
      const { id } = await started()
      const one = object(id)
      await first.promise
      const two = object(id)
      // The second one is answered, or reads the row as well.
      await Promise.race([two, new Promise((resolve) => setTimeout(resolve, 500))])
      release.resolve()
      expect([(await one).status, (await two).status]).to.deep.equal([200, 409])
    })

    it('from the customer alone', async () => {
      const { id } = await started()
      const others = await object(id, 'bob')
      const nothing = await object(NOTHING, 'bob')
      expectStatus(others, 404)
      expect(others.text).to.equal(nothing.text)
      expect((await deployment.audit.row(id))?.objection).to.equal(undefined)
      expectStatus(await object(id), 200)
    })

    it('with a note of at most 1,000 characters, and nothing else', async () => {
      const { id } = await started()
      for (const body of [
        { id, note: 'x'.repeat(1001) },
        { id, note: 5 },
        { id, note: 'one \u202E two' },
        { id, note: 'one', event: 'impersonation.ended' },
        [id],
      ]) {
        const { status, body: problem } = await ask('alice', '/objection', body)
        expect(status, JSON.stringify(body)).to.equal(400)
        expect(problem.error).to.equal('invalid_request')
      }
      const large = await object(id, 'alice', 'x'.repeat(100_000))
      expectStatus(large, 413)
      const note = '😀'.repeat(1000)
      expectStatus(await object(id, 'alice', note), 200)
      expect((await deployment.audit.row(id))?.objection).to.include({ note })
    })

    it('twenty times an hour at most', async () => {
      for (let number = 0; number < 20; number += 1) {
        expectStatus(await object(NOTHING), 404)
      }
      const { status, headers, body: answer } = await object(NOTHING)
      expect([status, answer.error]).to.deep.equal([429, 'temporarily_unavailable'])
      expect(Number(headers.get('retry-after'))).to.be.within(1, 3600)
      expectStatus(await object(NOTHING, 'bob'), 404)
    })
  })

  describe('answers no other caller', () => {
    const requests = [[''], ['/end', { id: NOTHING }], ['/objection', { id: NOTHING }]] as const

    it('than who signed in to the account page', async () => {
      const running = await deployment.impersonate({ customer: 'alice' })
      const { cookie, accessToken } = await deployment.signIn('alice', { clientId: 'shop' })
      const strangers = {
        'no token': {},
        'only a cookie': { cookie },
        'a token of the shop': { authorization: `Bearer ${accessToken}` },
        'a token of the console': { authorization: `Bearer ${await deployment.tokenOf('grace')}` },
        'an operator who acts as the customer': { authorization: `Bearer ${running.accessToken}` },
        garbage: { authorization: 'Bearer garbage' },
      }
      for (const [who, headers] of Object.entries(strangers)) {
        for (const [path, body] of requests) {
          const answer = await ask(headers, path, body)
          expectStatus(answer, 401, `${who} ${path}`)
          expect(answer.headers.get('www-authenticate')).to.match(/^Bearer realm="account"/)
          expect(answer.headers.get('cache-control')).to.equal('no-store')
        }
      }
      expect(await runningFor('alice')).to.have.length(1)
    })

    it('and refuses what it does not know', async () => {
      for (const query of [
        '?limit=0',
        '?limit=51',
        '?limit=1e1',
        '?limit=5&limit=6',
        '?before=1',
        "?before=1'%20OR%201=1",
        `?before=${'1'.repeat(201)}`,
        '?customer=bob',
      ]) {
        const { status, body } = await ask('alice', query)
        expect(status, query).to.equal(400)
        expect(body.error).to.equal('invalid_request')
      }
      expectStatus(await ask('alice', '', {}), 405)
      expectStatus(await ask('alice', '/end'), 405)
      expectStatus(await ask('alice', '/End'), 404)
      // An answer of the provider for another browser.
      const foreign = await fetch(`${deployment.url}/account/callback?code=c&state=s`, {
        redirect: 'manual',
      })
      expect(foreign.headers.get('location')).to.equal('/account/sign-in?why=elsewhere&to=')
      expectStatus(await ask('alice', '/constructor'), 404)
    })
  })

  describe('while storage fails', () => {
    it('ends what runs without the audit, and never says that there is nothing', async () => {
      const audit = faultyAudit()
      await restart({ audit, console: { account: ACCOUNT } })
      const running = await started()
      audit.failing = ['row', 'find']
      expectStatus(await object(running.id), 503)
      const { past, running: shown } = await deployment.accountOf('alice')
      expect(past).to.equal(null)
      expect(shown[0]).to.deep.include({ id: running.id, did: [], ticket: 'SUP-123' })
      expectStatus(await ask('alice', '/end', { id: running.id }), 204)
      audit.failing = []
      expectStatus(await object(running.id), 200)
      expect((await listOf('alice'))[0]).to.include({ state: 'user' })
    })

    it('ends what runs also while too many entries wait to be stored', async () => {
      const audit = faultyAudit()
      await restart({ audit, console: { account: ACCOUNT } })
      const running = await started()
      audit.failing = ['write']
      const audience = `${deployment.url}/orders`
      const use = { useId: 'use', timeMs: Date.now(), userId: 'bob', client: 'shop', audience }
      for (let index = 0; index < 1000; index += 1) {
        void deployment.console.onImpersonatedRequest(use)
      }
      expectStatus(await object(running.id), 503)
      expectStatus(await ask('alice', '/end', { id: running.id }), 204)
      expect(await deployment.provider.impersonation.get(running.id)).to.include({ state: 'ended' })
      audit.failing = []
      await deployment.settled()
      expect((await listOf('alice'))[0]).to.include({ state: 'user' })
    })

    it('says that the provider cannot be asked', async () => {
      const running = await deployment.impersonate()
      await listOf('alice')
      deployment.faults.storage = true
      expectStatus(await ask('alice', ''), 503)
      const answer = await ask('alice', '/end', { id: running.id })
      expectStatus(answer, 503)
      expect(answer.headers.get('retry-after')).to.equal('5')
      expect(answer.body.error).to.equal('temporarily_unavailable')
      deployment.faults.storage = false
      expect(await runningFor('alice')).to.have.length(1)
    })
  })
})
