import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { JSONWebKeySet } from 'jose'
import type { Account } from 'oidc-provider'
import { signCheckpoint } from 'oidc-provider-impersonation/siblings'
import type { AuditStore, SupportConsoleOptions } from 'oidc-provider-impersonation-console'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { testOn } from '../../../../../test/adapters/servers.ts'
import { openedStore } from '../../../src/ledger/stores/opened-store.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { idOf, readOn, rejection } from '../../ledger/stores/contract/support.ts'
import { later } from '../../support/clock.ts'
import { type Answer, type Deployment, deploy } from '../../support/deployment.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { AGO, over, permitSignedBy, processOn, requested, verifiedLines } from './person.ts'

const DAY = 86_400_000

const STORAGES = [
  { kind: 'sqlite', test: it },
  { kind: 'postgres', test: await testOn('PostgreSQL') },
] as const

const ERASERS = ['ada', 'grace', 'oscar']
const mayErase: NonNullable<SupportConsoleOptions['mayErase']> = ({ accountId }) =>
  ERASERS.includes(accountId)

interface Console extends Deployment {
  /** Records entries as a process that has ended. */
  before(...entries: readonly AuditEntry[]): Promise<void>
  /** The entries of the audit, as they can still be read. */
  entries(): Promise<readonly AuditEntry[]>
}

const signingOf =
  ({ provider }: Deployment) =>
  (claims: object) =>
    signCheckpoint(provider, claims)

async function consoleOn(audit: AuditStore, options: object = { mayErase }): Promise<Console> {
  const deployment = await deploy({ audit, console: options })
  const store = openedStore(audit)
  return {
    ...deployment,
    async before(...entries) {
      const one = processOn(store, { sign: signingOf(deployment) })
      await one.record(...entries)
      await one.close()
    },
    entries: async () =>
      (await readOn(store)).flatMap(({ text }) => (text === undefined ? [] : JSON.parse(text))),
  }
}

/** Exports everything, and verifies it by the keys of the provider, and those of processes before. */
async function expectWhole({ ask, issuer }: Deployment): Promise<string> {
  const { text } = await ask('ada', '/audit/entries.jsonl')
  const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet
  await verifiedLines(text.split('\n').filter(Boolean), keys)
  return text
}

const codeOf = ({ status, body }: Answer) => [status, body?.error]
const NOTE = { note: 'DPO-12' }
const person = (id: string, more = '') => `/personal-data/people/${encodeURIComponent(id)}${more}`
type Asking = Parameters<Deployment['ask']>[0]
const confirm = ({ ask }: Deployment, who: Asking, id: string) =>
  ask(who, `/personal-data/requests/${id}/confirm`, {})

describe('an erasure by two people', () => {
  let at: Console
  let isClosed = false
  beforeEach(() => {
    isClosed = false
  })
  afterEach(close)

  /** Before its store, where a test has one of its own. */
  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    try {
      await expectWhole(at)
    } finally {
      await at[Symbol.asyncDispose]()
    }
  }

  /** Signed in anew: what was issued days ago is over. */
  const signedIn = async (who: string): Promise<Asking> => ({
    token: (await at.signIn(who)).accessToken,
  })

  /** Answers the id of the request. */
  async function asked(who: Asking = 'grace', whom = 'alice'): Promise<string> {
    const answer = await at.ask(who, person(whom, '/erase'), NOTE)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.id
  }

  for (const { kind, test } of STORAGES) {
    test(`leaves two entries, and nothing that names the person: ${kind}`, async () => {
      await using storage = await newPlace(kind)
      const own = await storeAt(kind, storage.place)
      const { store } = own
      at = await consoleOn(store)
      try {
        await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9), ...over('c', 'bob'))
        await permitSignedBy(signingOf(at), openedStore(store), 'p', requested('alice'))
        const { body: found } = await at.ask('grace', person('alice'))
        expect(found).to.deep.include({
          ...{ id: 'alice', name: 'Alice Ng', isKnown: true, isMe: false, inForce: [] },
          ...{ uses: 2, notices: 0, held: 0, free: 2 },
          asCustomer: { count: 2, from: AGO, to: AGO + 9 },
          permits: { count: 1, from: AGO, to: AGO },
          asOperator: { count: 0 },
        })
        const { text } = await at.ask('ada', person('alice', '/export.jsonl'))
        expect(text.split('\n').filter(Boolean)).to.have.length(3)

        const id = await asked()
        expect(codeOf(await at.ask('ada', person('alice', '/erase'), NOTE))).to.deep.equal([
          ...[409, 'conflict'],
        ])
        const { body } = await at.ask('ada', '/personal-data')
        expect(body.requests).to.have.length(1)
        expect(body.requests[0]).to.deep.include({
          ...{ id, note: 'DPO-12', isBegun: false, isMine: false, canConfirm: true },
          by: { id: 'grace', name: 'Grace Lindqvist' },
          customer: { id: 'alice', name: 'Alice Ng' },
        })
        expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([403, 'access_denied'])
        const answer = await at.ask('ada', `/personal-data/requests/${id}/confirm`, NOTE)
        expect(answer.body).to.deep.equal({ impersonations: 2, permits: 1 })
        expect(codeOf(await confirm(at, 'oscar', id))).to.deep.equal([404, 'not_found'])
        expect((await at.ask('ada', '/personal-data')).body.requests).to.deep.equal([])
        expect((await at.ask('ada', person('alice'))).body.asCustomer).to.deep.equal({ count: 0 })

        const erasing = (await at.entries()).filter(({ event }) => /\.eras/.test(event))
        expect(
          erasing.map(({ event, by, note, context }) => ({ event, by, note, context })),
        ).to.deep.equal([
          {
            ...{ event: 'support.erasing', by: 'grace', note: 'DPO-12' },
            context: { request: id, impersonation: idOf('b') },
          },
          { event: 'support.erased', by: 'ada', note: 'DPO-12', context: { request: id } },
        ])
        const whole = await expectWhole(at)
        expect(whole).to.contain('"bob').and.not.match(/alice/i)
      } finally {
        await close()
        await own.close()
      }
    })

    test(`that two confirm together is done by one of them: ${kind}`, async () => {
      await using storage = await newPlace(kind)
      const [first, second] = [
        await storeAt(kind, storage.place),
        await storeAt(kind, storage.place),
      ]
      at = await consoleOn(first.store)
      const otherProcess = processOn(openedStore(second.store), { sign: signingOf(at) })
      const confirmThere = (by: string, id: string) =>
        otherProcess.erasures.confirm(id, { by }).then(
          (body) => ({ status: 200, body }),
          ({ statusCode }) => ({ status: statusCode, body: undefined }),
        )
      try {
        const people = ['alice', 'bob', 'carla', 'dora']
        for (const who of people) await at.before(...over(who, who))
        for (const who of people) {
          const id = await asked('grace', who)
          const answers = await Promise.all([
            ...[confirm(at, 'ada', id), confirmThere('oscar', id)],
            ...[confirm(at, 'oscar', id), confirmThere('ada', id)],
          ])
          const done = answers.filter(({ status }) => status === 200)
          expect(
            done.map(({ body }) => body),
            JSON.stringify(answers),
          ).to.deep.equal([{ impersonations: 1, permits: 0 }])
          const others = answers.filter(({ status }) => status !== 200)
          for (const { status } of others) expect(status).to.be.oneOf([404, 409])
        }
      } finally {
        await otherProcess.close()
        await close()
        await Promise.all([first.close(), second.close()])
      }
    })
  }

  it('that a third person finishes meanwhile was not done by who is slower', async () => {
    const audit = memoryAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'))
    const id = await asked()
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const store = openedStore(audit)
    const slow: AuditStore = {
      ...store,
      async removeRow(...one) {
        reached.resolve()
        await released.promise
        return store.removeRow(...one)
      },
    }
    const otherProcess = processOn(slow, { sign: signingOf(at) })
    const slower = rejection(otherProcess.erasures.confirm(id, { by: 'ada' }))
    await reached.promise
    expect((await confirm(at, 'oscar', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
    released.resolve()
    expect(await slower).to.include({ statusCode: 409, error: 'conflict' })
    await otherProcess.close()
  })

  it('lapses when the person who asked may not erase any more, and another one asks anew', async () => {
    const may = new Set(ERASERS)
    const audit = faultyAudit()
    at = await consoleOn(audit, { mayErase: ({ accountId }: Account) => may.has(accountId) })
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const id = await asked('grace')
    may.delete('grace')
    expect((await at.ask('ada', '/personal-data')).body.requests).to.deep.equal([])
    expect((await at.ask('ada', person('alice'))).body).not.to.have.property('request')
    expect(codeOf(await confirm(at, 'ada', id))).to.deep.equal([404, 'not_found'])
    expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([403, 'access_denied'])
    const again = await asked('oscar')
    audit.failing = ['removeRow']
    audit.passing = 1
    expect((await confirm(at, 'ada', again)).status).to.equal(500)
    audit.failing = []
    // Two people wanted it: what is begun is finished.
    may.delete('oscar')
    may.add('grace')
    expect((await confirm(at, 'grace', again)).body).to.deep.equal({
      ...{ impersonations: 1, permits: 0 },
    })
  })

  it('is for those whom the deployment names, and nowhere without the option', async () => {
    at = await consoleOn(memoryAudit(), {})
    await at.before(...over('a', 'alice'))
    const paths = [
      '/personal-data',
      '/personal-data/customers?q=a',
      person('alice'),
      person('alice', '/export.jsonl'),
    ]
    const posts = ['erase', 'hold', 'release'].map((what) => person('alice', `/${what}`))
    const all = async (who: string) => [
      ...(await Promise.all(paths.map(async (path) => (await at.ask(who, path)).status))),
      ...(await Promise.all(posts.map(async (path) => (await at.ask(who, path, NOTE)).status))),
      (await confirm(at, who, idOf('a'))).status,
    ]
    expect(new Set(await all('grace'))).to.deep.equal(new Set([404]))
    expect((await at.ask('grace', '/me')).body).not.to.have.property('mayErase')
    await at[Symbol.asyncDispose]()

    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'))
    expect(new Set(await all('olivia'))).to.deep.equal(new Set([403]))
    expect((await at.ask('olivia', '/me')).body).not.to.have.property('mayErase')
    expect((await at.ask('ada', '/me')).body).to.include({ mayErase: true })
    // An auditor finds customers nowhere else.
    expect((await at.ask('ada', '/personal-data/customers?q=alice')).body.customers).to.have.length(
      1,
    )
    expect((await at.ask('ada', person('nobody'))).body).to.include({ isKnown: false })
    expect((await at.ask(undefined, '/personal-data')).status).to.equal(401)
    expect((await at.ask('ada', person('nobody', '/erase'), NOTE)).status).to.equal(404)
    expect((await at.ask('ada', person('alice', '/erase'), {})).status).to.equal(400)
  })

  it('is not where the deployment does not answer whether somebody may', async () => {
    let answer: () => unknown = () => {
      throw new Error('out of order')
    }
    at = await consoleOn(memoryAudit(), { mayErase: () => answer() })
    expect((await at.ask('grace', '/personal-data')).status).to.equal(503)
    answer = () => 'yes'
    expect((await at.ask('grace', '/personal-data')).status).to.equal(500)
    answer = async () => false
    expect((await at.ask('grace', '/personal-data')).status).to.equal(403)
  })

  it('is not decided by the person concerned', async () => {
    at = await consoleOn(memoryAudit())
    await at.before(...over('g', 'grace'))
    expect(codeOf(await at.ask('grace', person('grace', '/erase'), NOTE))).to.deep.equal([
      403,
      'access_denied',
    ])
    const id = await asked('ada', 'grace')
    const { body } = await at.ask('grace', '/personal-data')
    expect(body.requests[0]).to.include({ canConfirm: false, isMine: false })
    expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([403, 'access_denied'])
    expect((await confirm(at, 'oscar', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
  })

  it('lapses a day later, and can be asked for again', async () => {
    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'))
    const id = await asked()
    await later(DAY - 5000, async () => {
      expect((await at.ask('ada', '/personal-data')).body.requests).to.have.length(1)
    })
    await later(DAY, async () => {
      const [ada, grace] = [await signedIn('ada'), await signedIn('grace')]
      expect((await at.ask(ada, '/personal-data')).body.requests).to.deep.equal([])
      expect(codeOf(await confirm(at, ada, id))).to.deep.equal([404, 'not_found'])
      const again = await asked(grace)
      expect((await confirm(at, ada, again)).body).to.deep.equal({
        impersonations: 1,
        permits: 0,
      })
    })
  })

  it('is refused while something is on hold, which the page puts there and releases', async () => {
    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const id = await asked()
    expect((await at.ask('oscar', person('alice', '/hold'), NOTE)).status).to.equal(403)
    expect((await at.ask('ada', person('alice', '/hold'), NOTE)).body).to.deep.equal({ count: 2 })
    await at.settled()
    const { body } = await at.ask('ada', person('alice'))
    expect(body).to.include({ held: 2, free: 0 })
    expect(body.inForce).to.deep.include({ kind: 'impersonation', id: idOf('a'), why: 'held' })
    const refused = await confirm(at, 'ada', id)
    expect(codeOf(refused)).to.deep.equal([409, 'in_force'])
    expect(refused.body.inForce).to.have.length(2)
    expect(codeOf(await at.ask('grace', person('alice', '/erase'), NOTE))).to.deep.equal([
      409,
      'conflict',
    ])
    expect((await at.ask('ada', person('alice', '/release'), {})).body).to.deep.equal({ count: 2 })
    await at.settled()
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 2, permits: 0 })
  })

  it('is not asked for what cannot be erased', async () => {
    at = await consoleOn(memoryAudit())
    await at.impersonate()
    await at.settled()
    const refused = await at.ask('grace', person('alice', '/erase'), NOTE)
    expect(codeOf(refused)).to.deep.equal([409, 'in_force'])
    expect(refused.body.inForce[0]).to.include({ kind: 'impersonation', why: 'running' })
  })

  it('that broke off after its entry is finished later, once', async () => {
    const audit = faultyAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const id = await asked()
    audit.failing = ['removeRow']
    audit.passing = 1
    expect((await confirm(at, 'ada', id)).status).to.equal(500)
    audit.failing = []
    await later(2 * DAY, async () => {
      const [oscar, grace] = [await signedIn('oscar'), await signedIn('grace')]
      const { body } = await at.ask(oscar, '/personal-data')
      expect(body.requests[0]).to.deep.include({
        id,
        isBegun: true,
        customer: { id: 'alice', name: 'Alice Ng' },
      })
      expect(codeOf(await confirm(at, grace, id))).to.deep.equal([403, 'access_denied'])
      expect((await confirm(at, oscar, id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
      expect((await at.ask(oscar, '/personal-data')).body.requests).to.deep.equal([])
    })
    expect(await expectWhole(at)).not.to.match(/alice|zoe@/)
  })

  it('is not done where the tables are not as they were created', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    at = await consoleOn(store)
    await at.before(...over('a', 'alice'))
    const id = await asked()
    const database = new DatabaseSync(storage.place)
    database.exec('CREATE INDEX own ON impersonation_audit_row (at)')
    expect(await rejection(at.console.erase('alice'))).to.have.property('code', 'ERR_AUDIT_SCHEMA')
    expect((await confirm(at, 'ada', id)).status).to.equal(500)
    database.exec('DROP INDEX own')
    database.close()
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
    await close()
  })
})
