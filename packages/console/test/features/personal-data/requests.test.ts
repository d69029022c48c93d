import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { Account } from 'oidc-provider'
import type { AuditStore, SupportConsoleOptions } from 'oidc-provider-impersonation-console'
import { type AuditEntry, decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { testOn } from '../../../../../test/adapters/servers.ts'
import { openedStore } from '../../../src/ledger/stores/opened-store.ts'
import type { RecordAnswer } from '../../../src/web/record-answer.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { idOf, readOn, rejection } from '../../ledger/stores/contract/support.ts'
import { later } from '../../support/clock.ts'
import { type Answer, type Deployment, deploy } from '../../support/deployment.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { verified } from '../../verify/history.ts'
import { AGO, over, permit, processOn, requested, textOf } from './person.ts'

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

async function consoleOn(audit: AuditStore, options: object = { mayErase }): Promise<Console> {
  const deployment = await deploy({ audit, console: options })
  const store = openedStore(audit)
  return {
    ...deployment,
    async before(...entries) {
      const one = processOn(store)
      await one.record(...entries)
      await one.close()
    },
    entries: async () => (await readOn(store)).flatMap(({ text }) => decodeEntry(text ?? '') ?? []),
  }
}

/** Exports everything, and verifies it by the keys of the provider, and those of processes before. */
async function expectWhole({ ask, issuer }: Deployment): Promise<string> {
  const { text } = await ask('ada', '/audit/entries.jsonl')
  const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as JSONWebKeySet
  await verified(text.split('\n').filter(Boolean), { keys: createLocalJWKSet({ keys }) })
  return text
}

/** It was confirmed, and something of the person is left. */
function expectBegun(request: RecordAnswer, id: string): void {
  expect(request).to.deep.include({ id, customer: { id: 'alice', name: 'Alice Ng' } })
  expect(request.said.map(({ event }) => event)).to.deep.equal(['confirmed'])
}

const codeOf = ({ status, body }: Answer) => [status, body?.error]
const NOTE = { note: 'DPO-12' }
const person = (id: string, more = '') => `/personal-data/${encodeURIComponent(id)}${more}`
type Asking = Parameters<Deployment['ask']>[0]
const confirm = async ({ ask }: Deployment, who: Asking, id: string, body = {}) => {
  const answer = await ask(who, `/records/${id}/confirmed`, body)
  return { ...answer, body: answer.body.erased ?? answer.body }
}

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
    test(`leaves three entries, and nothing that names the person: ${kind}`, async () => {
      await using storage = await newPlace(kind)
      const own = await storeAt(kind, storage.place)
      const { store } = own
      at = await consoleOn(store)
      try {
        await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9), ...over('c', 'bob'))
        await permit(openedStore(store), 'p', requested('alice'))
        const { body: found } = await at.ask('grace', person('alice'))
        expect(found).to.deep.include({
          id: 'alice',
          name: 'Alice Ng',
          isKnown: true,
          isMe: false,
          inForce: [],
          uses: 2,
          notices: 0,
          held: 0,
          asCustomer: { count: 2, from: AGO, to: AGO + 9 },
          permits: { count: 1, from: AGO, to: AGO },
        })
        const { text } = await at.ask('ada', person('alice', '/export.jsonl'))
        expect(text.split('\n').filter(Boolean)).to.have.length(3)
        expect((await at.entries()).at(-1)).to.deep.include({
          event: 'support.exported',
          by: 'ada',
          context: { format: 'person', impersonation: idOf('b') },
        })

        const id = await asked()
        expect(codeOf(await at.ask('ada', person('alice', '/erase'), NOTE))).to.deep.equal([
          409,
          'conflict',
        ])
        const { body } = await at.ask('ada', '/personal-data')
        expect(body.requests).to.have.length(1)
        expect(body.requests[0]).to.deep.include({
          id,
          kind: 'erasure',
          state: 'asked',
          note: 'DPO-12',
          said: [],
          isMine: false,
          may: ['confirmed'],
          by: { id: 'grace', name: 'Grace Lindqvist' },
          customer: { id: 'alice', name: 'Alice Ng' },
        })
        expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([403, 'access_denied'])
        const answer = await confirm(at, 'ada', id, NOTE)
        expect(answer.body).to.deep.equal({ impersonations: 2, permits: 1 })
        expect(codeOf(await confirm(at, 'oscar', id))).to.deep.equal([404, 'not_found'])
        expect((await at.ask('ada', '/personal-data')).body.requests).to.deep.equal([])
        expect((await at.ask('ada', person('alice'))).body.asCustomer).to.deep.equal({ count: 0 })

        const erasing = (await at.entries()).filter(({ event }) => /\.(eras|confirmed)/.test(event))
        expect(
          erasing.map(({ event, by, note, context = {} }) => ({ event, by, note, context })),
        ).to.deep.equal([
          {
            event: 'support.erasing',
            by: 'grace',
            note: 'DPO-12',
            context: { impersonation: idOf('b') },
          },
          { event: 'support.confirmed', by: 'ada', note: 'DPO-12', context: {} },
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
      const otherProcess = processOn(openedStore(second.store))
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
            confirm(at, 'ada', id),
            confirmThere('oscar', id),
            confirm(at, 'oscar', id),
            confirmThere('ada', id),
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

  it('is asked for once, and done once, where people do it together in one process', async () => {
    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const asking = ['grace', 'grace', 'ada'].map((who) =>
      at.ask(who, person('alice', '/erase'), NOTE),
    )
    const answers = await Promise.all(asking)
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409, 409])
    const { body } = await at.ask('oscar', '/personal-data')
    const [{ id, by }] = body.requests
    const others = ['ada', 'grace', 'oscar'].filter((who) => who !== by.id)
    const confirmed = await Promise.all([...others, ...others].map((who) => confirm(at, who, id)))
    expect(confirmed.map(({ status }) => status).toSorted()).to.deep.equal([200, 404, 404, 404])
    const done = confirmed.find(({ status }) => status === 200)
    expect(done?.body).to.deep.equal({ impersonations: 2, permits: 0 })
  })

  it('that a third person finishes meanwhile was not done by who is slower', async () => {
    const audit = memoryAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'))
    const id = await asked()
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const store = openedStore(audit)
    const slow: AuditStore = {
      ...store,
      async remove(...one) {
        reached.resolve()
        await released.promise
        return store.remove(...one)
      },
    }
    const otherProcess = processOn(slow)
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
    expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([404, 'not_found'])
    const again = await asked('oscar')
    audit.failing = ['remove']
    audit.passing = 1
    expect((await confirm(at, 'ada', again)).status).to.equal(500)
    audit.failing = []
    // Two people wanted it: what is begun is finished.
    may.delete('oscar')
    may.add('grace')
    expect((await confirm(at, 'grace', again)).body).to.deep.equal({
      impersonations: 1,
      permits: 0,
    })
  })

  it('removes nothing in a process that was slower', async () => {
    const audit = memoryAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'))
    const id = await asked()
    const store = openedStore(audit)
    const removed: string[] = []
    const slow: AuditStore = {
      ...store,
      async write(batch, deadline) {
        // Another process confirms it in the last moment before this one.
        const entry = batch.entries.find(({ text }) => text.includes('"support.confirmed"'))
        if (entry) expect((await confirm(at, 'oscar', id)).status).to.equal(200)
        return store.write(batch, deadline)
      },
      async remove(removal) {
        removed.push(...removal.sums.map(({ id }) => id))
        return store.remove(removal)
      },
    }
    const otherProcess = processOn(slow)
    expect(await rejection(otherProcess.erasures.confirm(id, { by: 'ada' }))).to.include({
      statusCode: 409,
    })
    expect(removed).to.deep.equal([])
    await otherProcess.close()
  })

  it('is asked for once, also where another process asks in the last moment before this one', async () => {
    const audit = memoryAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'))
    const store = openedStore(audit)
    let isFirst = true
    const otherProcess = processOn({
      ...store,
      async slotHolder(slot) {
        if (isFirst) await asked('grace')
        isFirst = false
        return store.slotHolder(slot)
      },
    })
    expect(await rejection(otherProcess.erasures.ask('alice', { by: 'oscar' }))).to.include({
      statusCode: 409,
      error: 'conflict',
    })
    await otherProcess.close()
  })

  it('is asked for and confirmed by two people also where there are only permits', async () => {
    const audit = memoryAudit()
    at = await consoleOn(audit)
    await permit(openedStore(audit), 'p', requested('alice'))
    const id = await asked()
    const { body } = await at.ask('ada', '/personal-data')
    expect(body.requests[0].customer).to.include({ id: 'alice' })
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 0, permits: 1 })
  })

  it('that broke off leads to the person whatever came since, and however much there is', async () => {
    const audit = faultyAudit()
    at = await consoleOn(audit)
    const many = Array.from({ length: 501 }, (_, index) => over(`${index}`, 'alice', AGO + index))
    await at.before(...many.flat())
    const id = await asked()
    await at.before(...over('newer', 'alice', AGO + 1000))
    // A process ends when all that its first entry names is removed, and before its second one.
    const store = openedStore(audit)
    let removals = 0
    const dying: AuditStore = {
      ...store,
      async remove(...one) {
        const isRemoved = await store.remove(...one)
        removals += 1
        if (removals === 500) throw new Error('the process is gone')
        return isRemoved
      },
    }
    const otherProcess = processOn(dying)
    expect(await rejection(otherProcess.erasures.confirm(id, { by: 'ada' }))).to.be.an('error')
    await otherProcess.close()
    for (const passing of [0, 1]) {
      audit.failing = ['remove']
      audit.passing = passing
      expect((await confirm(at, 'ada', id)).status).to.equal(500)
      audit.failing = []
      const { body } = await at.ask('oscar', '/personal-data')
      expectBegun(body.requests[0], id)
    }
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
  })

  it('is of no request that was changed, or of which somebody changed the person', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    at = await consoleOn(store)
    await at.before(...over('a', 'alice'), ...over('b', 'bob'))
    const id = await asked('grace')
    const database = new DatabaseSync(storage.place)
    const rewrite = (from: string, to: string, column = 'text') => {
      const [table, where] =
        column === 'text' ? ['entry', "text LIKE '%support.erasing%'"] : ['record', 'true']
      database
        .prepare(
          `UPDATE impersonation_audit_${table} SET ${column} = replace(${column}, ?, ?) WHERE ${where}`,
        )
        .run(from, to)
    }
    const relabel = (from: string, to: string) => {
      database
        .prepare(
          'UPDATE impersonation_audit_impersonation SET data = replace(data, ?, ?) WHERE id = ?',
        )
        .run(`"${from}"`, `"${to}"`, idOf('a'))
    }
    const nothing = async () => {
      expect((await at.ask('ada', '/personal-data')).body.requests).to.deep.equal([])
      for (const who of ['grace', 'ada'])
        expect(codeOf(await confirm(at, who, id))).to.deep.equal([404, 'not_found'])
    }
    rewrite('"grace"', '"oscar"')
    await nothing()
    rewrite('"oscar"', '"grace"')
    rewrite('grace', 'oscar', 'data')
    await nothing()
    rewrite('oscar', 'grace', 'data')
    relabel('alice', 'bob')
    await nothing()
    relabel('bob', 'alice')
    database.close()
    // The first word of a request counts.
    const second = { permit: id, by: 'ada', context: { impersonation: idOf('a') } }
    await at.before({ event: 'support.erasing', timeMs: Date.now(), ...second })
    expect(codeOf(await confirm(at, 'grace', id))).to.deep.equal([403, 'access_denied'])
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
    await close()
  })

  it('is of one person, whatever the account id is', async () => {
    const ids = [
      '%',
      '_',
      "o'; DROP TABLE x",
      '"',
      '\\',
      '/',
      '?q=1#x',
      '%2e',
      '-',
      '__proto__',
      // From right to left, and turned around.
      'ליאור',
      'a\u202eb',
      'a\u200bb',
      '  spaces  ',
      'ä',
      'a\u0308',
      'x'.repeat(255),
      `${'x'.repeat(255)}y`,
      'x'.repeat(1024),
    ]
    at = await consoleOn(memoryAudit())
    for (const [index, id] of ids.entries()) await at.before(...over(`${index}`, id))
    for (const [index, id] of ids.entries()) {
      const shown = await at.ask('grace', person(id))
      expect(shown.body, id).to.deep.include({ id, asCustomer: { count: 1, from: AGO, to: AGO } })
      const { text } = await at.ask('ada', person(id, '/export.jsonl'))
      expect(JSON.parse(text), id).to.include({ id: idOf(`${index}`) })
      expect((await confirm(at, 'ada', await asked('grace', id))).body, id).to.deep.equal({
        impersonations: 1,
        permits: 0,
      })
      const { body } = await at.ask('ada', '/audit')
      expect(body.rows, id).to.have.length(Math.min(25, ids.length - index - 1))
    }
    for (const none of ['\n', 'a\0', 'x'.repeat(1025)])
      expect((await at.ask('grace', person(none))).status, none).to.equal(404)
  })

  it('is not asked for what somebody put under the name of the person, which is an alarm', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    at = await consoleOn(store)
    await at.before(...over('a', 'alice'), ...over('b', 'bob'))
    const database = new DatabaseSync(storage.place)
    database
      .prepare(
        'UPDATE impersonation_audit_impersonation SET data = replace(data, ?, ?) WHERE id = ?',
      )
      .run('"alice"', '"bob"', idOf('a'))
    database.close()
    const refused = await at.ask('grace', person('bob', '/erase'), NOTE)
    expect(codeOf(refused)).to.deep.equal([409, 'in_force'])
    expect(refused.body.inForce).to.deep.equal([
      { kind: 'impersonation', id: idOf('a'), why: 'tampered' },
    ])
    expect((await at.ask('ada', '/personal-data')).body.requests).to.deep.equal([])
    const [alarm] = (await at.ask('grace', '')).body.inbox.alarms
    expect(alarm).to.deep.include({ id: idOf('a') })
    expect(await rejection(expectWhole(at))).to.have.property('name', 'Broken')
    isClosed = true
    await at[Symbol.asyncDispose]()
  })

  it('is not confirmed at the moment at which it lapses', async () => {
    const store = memoryAudit()
    at = await consoleOn(store)
    await at.before(...over('a', 'alice'))
    let time = Date.now()
    const one = processOn(store, { now: () => time })
    const { id, lapsesAt = 0 } = await one.erasures.ask('alice', { by: 'grace' })
    time = lapsesAt
    expect(await rejection(one.erasures.confirm(id, { by: 'ada' }))).to.include({ statusCode: 404 })
    time -= 1
    expect(await one.erasures.confirm(id, { by: 'ada' })).to.include({ impersonations: 1 })
    await one.close()
  })

  it('is for those whom the deployment names, and nowhere without the option', async () => {
    at = await consoleOn(memoryAudit(), {})
    await at.before(...over('a', 'alice'))
    const paths = [
      '/personal-data',
      '/personal-data?q=a',
      person('alice'),
      person('alice', '/export.jsonl'),
    ]
    const posts = ['erase'].map((what) => person('alice', `/${what}`))
    const all = async (who: string) => [
      ...(await Promise.all(paths.map(async (path) => (await at.ask(who, path)).status))),
      ...(await Promise.all(posts.map(async (path) => (await at.ask(who, path, NOTE)).status))),
    ]
    expect(new Set(await all('grace'))).to.deep.equal(new Set([404]))
    expect((await at.ask('grace', '/me')).body).not.to.have.property('mayErase')
    await at[Symbol.asyncDispose]()

    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'))
    expect(new Set(await all('olivia'))).to.deep.equal(new Set([403]))
    expect((await confirm(at, 'olivia', await asked('grace'))).status).to.equal(404)
    expect((await at.ask('olivia', '/me')).body).not.to.have.property('mayErase')
    expect((await at.ask('ada', '/me')).body).to.include({ mayErase: true })
    // An auditor finds customers nowhere else.
    expect((await at.ask('ada', '/personal-data?q=alice')).body.customers).to.have.length(1)
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
    expect(body.requests[0]).to.deep.include({ may: [], isMine: false })
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

  it('is refused while something is on hold', async () => {
    at = await consoleOn(memoryAudit())
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const id = await asked()
    const forBoth = async (path: string, body: object) => {
      for (const each of ['a', 'b']) {
        expect((await at.ask('ada', `/audit/${idOf(each)}/${path}`, body)).status).to.equal(204)
      }
    }
    await forBoth('hold', NOTE)
    await at.settled()
    const { body } = await at.ask('ada', person('alice'))
    expect(body.held).to.equal(2)
    expect(body.inForce).to.deep.include({ kind: 'impersonation', id: idOf('a'), why: 'held' })
    const refused = await confirm(at, 'ada', id)
    expect(codeOf(refused)).to.deep.equal([409, 'in_force'])
    expect(refused.body.inForce).to.have.length(2)
    expect(codeOf(await at.ask('grace', person('alice', '/erase'), NOTE))).to.deep.equal([
      409,
      'conflict',
    ])
    await forBoth('release', {})
    await at.settled()
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 2, permits: 0 })
  })

  it('is no hold where it is done before the hold is stored', async () => {
    const store = memoryAudit()
    const process: { erase?: (customer: string) => Promise<unknown> } = {}
    at = await consoleOn({
      ...store,
      async write(batch, deadline) {
        const { erase } = process
        if (erase && batch.entries.some(({ text }) => text.includes('"support.held"'))) {
          delete process.erase
          await erase('alice')
        }
        return store.write(batch, deadline)
      },
    })
    await at.before(...over('a', 'alice'))
    const otherProcess = processOn(store)
    process.erase = otherProcess.erase
    const { status, body } = await at.ask('ada', `/audit/${idOf('a')}/hold`, NOTE)
    expect([status, body.error_description]).to.deep.equal([404, 'it was erased meanwhile'])
    expect(process.erase).to.equal(undefined)
    await otherProcess.close()
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })

  it('that broke off after its entry is finished later, once', async () => {
    const audit = faultyAudit()
    at = await consoleOn(audit)
    await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9))
    const id = await asked()
    audit.failing = ['remove']
    audit.passing = 1
    expect((await confirm(at, 'ada', id)).status).to.equal(500)
    audit.failing = []
    await later(2 * DAY, async () => {
      const [oscar, grace] = [await signedIn('oscar'), await signedIn('grace')]
      const { body } = await at.ask(oscar, '/personal-data')
      expectBegun(body.requests[0], id)
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
    database.exec('CREATE INDEX own ON impersonation_audit_impersonation (at)')
    for (const refused of [at.console.erase('alice'), textOf(at.console.exportOf('alice'))])
      expect(await rejection(refused)).to.have.property('code', 'ERR_AUDIT_SCHEMA')
    expect((await confirm(at, 'ada', id)).status).to.equal(500)
    database.exec('DROP INDEX own')
    database.close()
    expect((await confirm(at, 'ada', id)).body).to.deep.equal({ impersonations: 1, permits: 0 })
    await close()
  })
})
