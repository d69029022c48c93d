import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Account } from 'oidc-provider'
import type { AuditStore, SupportConsoleOptions } from 'oidc-provider-impersonation-console'
import { type AuditEntry, decodeEntry } from 'oidc-provider-impersonation-verify/format'
import { openedStore } from '../../../src/ledger/stores/opened-store.ts'
import type { RecordAnswer } from '../../../src/web/record-answer.ts'
import { newPlace, onEachKind, storeAt } from '../../ledger/recording/soak-stores.ts'
import {
  idOf,
  interceptCalls,
  many,
  readOn,
  rejection,
} from '../../ledger/stores/contract/support.ts'
import { later } from '../../support/clock.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { expectProblem, expectStatus, idsOf } from '../../support/expect-answer.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { expectWholeExport } from '../../support/whole-export.ts'
import { AGO, over, permit, processOn, recordPast, requested } from './person.ts'

const DAY = 86_400_000

const ERASERS = ['ada', 'grace', 'oscar']
const mayErase: NonNullable<SupportConsoleOptions['mayErase']> = ({ accountId }) =>
  ERASERS.includes(accountId)

async function consoleOn(audit: AuditStore, options: object = { mayErase }) {
  const deployment = await deploy({ audit, console: options })
  const store = openedStore(audit)
  return {
    ...deployment,
    before: (...entries: readonly AuditEntry[]) => recordPast(audit, ...entries),
    /** The entries of the audit, as they can still be read. */
    entries: async () => (await readOn(store)).flatMap(({ text }) => decodeEntry(text ?? '') ?? []),
  }
}

/** It was confirmed, and something of the person is left. */
function expectBegun(request: RecordAnswer, id: string) {
  expect(request).to.deep.include({ id, customer: { id: 'alice', name: 'Alice Ng' } })
  expect(request.said.map(({ event }) => event)).to.deep.equal(['confirmed'])
}

const NOTE = { note: 'DPO-12' }
const person = (id: string, more = '') => `/personal-data/${encodeURIComponent(id)}${more}`
type Asking = Parameters<Deployment['ask']>[0]
/** Of a request: its first entry, and its record. And the row of `a`. */
const REWRITES = {
  entry:
    "UPDATE impersonation_audit_entry SET text = replace(text, ?, ?) WHERE text LIKE '%support.erasing%'",
  record: 'UPDATE impersonation_audit_record SET data = replace(data, ?, ?)',
  row: `UPDATE impersonation_audit_impersonation SET data = replace(data, ?, ?) WHERE id = '${idOf('a')}'`,
} as const

function rewrite(place: string, what: keyof typeof REWRITES, from: string, to: string) {
  const database = new DatabaseSync(place)
  database.prepare(REWRITES[what]).run(from, to)
  database.close()
}

describe('an erasure by two people', () => {
  let at: Awaited<ReturnType<typeof consoleOn>>
  let isClosed = false
  beforeEach(() => {
    isClosed = false
  })
  afterEach(close)

  /** Before its store, where a test has one of its own. */
  async function close() {
    if (isClosed) return
    isClosed = true
    try {
      await expectWholeExport(at)
    } finally {
      await at[Symbol.asyncDispose]()
    }
  }

  /** Signed in anew: what was issued days ago is over. */
  const signedIn = async (who: string): Promise<Asking> => ({
    token: (await at.signIn(who)).accessToken,
  })

  async function begin(
    entries: readonly AuditEntry[],
    audit: AuditStore = memoryAudit(),
    options?: object,
  ) {
    at = await consoleOn(audit, options)
    await at.before(...entries)
  }
  const requestsFor = async (who: Asking) => (await at.read(who, '/personal-data')).requests
  const confirm = async (who: Asking, id: string, body = {}) => {
    const answer = await at.ask(who, `/records/${id}/confirmed`, body)
    return { ...answer, body: answer.body.erased ?? answer.body }
  }
  async function expectErased(who: Asking, id: string, impersonations = 1, permits = 0) {
    expect((await confirm(who, id)).body).to.deep.equal({ impersonations, permits })
  }

  const askToErase = (who: Asking = 'grace', whom = 'alice') =>
    at.ask(who, person(whom, '/erase'), NOTE)
  /** Answers the id of the request. */
  async function asked(...request: Parameters<typeof askToErase>) {
    const answer = await askToErase(...request)
    expectStatus(answer, 201)
    return answer.body.id
  }

  onEachKind.it('leaves three entries, and nothing that names the person', async (kind, place) => {
    const own = await storeAt(kind, place)
    const { store } = own
    at = await consoleOn(store)
    try {
      await at.before(...over('a', 'alice'), ...over('b', 'alice', AGO + 9), ...over('c', 'bob'))
      await permit(openedStore(store), 'p', requested('alice'))
      const found = await at.read('grace', person('alice'))
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
      expectProblem(await askToErase('ada'), 409, 'conflict')
      const body = await at.read('ada', '/personal-data')
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
      expectProblem(await confirm('grace', id), 403, 'access_denied')
      const answer = await confirm('ada', id, NOTE)
      expect(answer.body).to.deep.equal({ impersonations: 2, permits: 1 })
      expectProblem(await confirm('oscar', id), 404, 'not_found')
      expect(await requestsFor('ada')).to.deep.equal([])
      expect((await at.read('ada', person('alice'))).asCustomer).to.deep.equal({ count: 0 })

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
      const whole = await expectWholeExport(at)
      expect(whole).to.contain('"bob').and.not.match(/alice/i)
    } finally {
      await close()
      await own.close()
    }
  })

  onEachKind.it('that two confirm together is done by one of them', async (kind, place) => {
    const [first, second] = [await storeAt(kind, place), await storeAt(kind, place)]
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
          confirm('ada', id),
          confirmThere('oscar', id),
          confirm('oscar', id),
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

  it('is asked for once, where people do it together in one process', async () => {
    await begin([...over('a', 'alice'), ...over('b', 'alice', AGO + 9)])
    const asking = [askToErase(), askToErase(), askToErase('ada')]
    const answers = await Promise.all(asking)
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([201, 409, 409])
  })

  it('that a third person finishes meanwhile was not done by who is slower', async () => {
    const audit = memoryAudit()
    await begin(over('a', 'alice'), audit)
    const id = await asked()
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = interceptCalls(openedStore(audit), 'remove', () => {
      reached.resolve()
      return released.promise
    })
    const otherProcess = processOn(slow)
    const slower = rejection(otherProcess.erasures.confirm(id, { by: 'ada' }))
    await reached.promise
    await expectErased('oscar', id)
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
    expect(await requestsFor('ada')).to.deep.equal([])
    expect(await at.read('ada', person('alice'))).not.to.have.property('request')
    expectProblem(await confirm('ada', id), 404, 'not_found')
    expectProblem(await confirm('grace', id), 404, 'not_found')
    const again = await asked('oscar')
    audit.failing = ['remove']
    audit.passing = 1
    expectStatus(await confirm('ada', again), 500)
    audit.failing = []
    // Two people wanted it: what is begun is finished.
    may.delete('oscar')
    may.add('grace')
    await expectErased('grace', again)
  })

  it('removes nothing in a process that was slower', async () => {
    const audit = memoryAudit()
    await begin(over('a', 'alice'), audit)
    const id = await asked()
    const removed: string[] = []
    const slow = interceptCalls(openedStore(audit), 'write', async ({ entries }) => {
      // Another process confirms it in the last moment before this one.
      const entry = entries.find(({ text }) => text.includes('"support.confirmed"'))
      if (entry) expectStatus(await confirm('oscar', id), 200)
    })
    const otherProcess = processOn(
      interceptCalls(slow, 'remove', ({ sums }) => removed.push(...idsOf(sums))),
    )
    expect(await rejection(otherProcess.erasures.confirm(id, { by: 'ada' }))).to.include({
      statusCode: 409,
    })
    expect(removed).to.deep.equal([])
    await otherProcess.close()
  })

  it('is asked for once, also where another process asks in the last moment before this one', async () => {
    const audit = memoryAudit()
    await begin(over('a', 'alice'), audit)
    let isFirst = true
    const slow = interceptCalls(openedStore(audit), 'slotHolder', async () => {
      if (isFirst) await asked('grace')
      isFirst = false
    })
    const otherProcess = processOn(slow)
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
    const body = await at.read('ada', '/personal-data')
    expect(body.requests[0].customer).to.include({ id: 'alice' })
    await expectErased('ada', id, 0, 1)
  })

  it('that broke off leads to the person whatever came since, and however much there is', async () => {
    const audit = faultyAudit()
    at = await consoleOn(audit)
    const entries = many(501, (index) => over(`${index}`, 'alice', AGO + index))
    await at.before(...entries.flat())
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
      expectStatus(await confirm('ada', id), 500)
      audit.failing = []
      const [request] = await requestsFor('oscar')
      expectBegun(request, id)
    }
    await expectErased('ada', id)
  })

  it('is of no request that was changed, or of which somebody changed the person', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    await begin([...over('a', 'alice'), ...over('b', 'bob')], store)
    const id = await asked('grace')
    for (const [what, from, to] of [
      ['entry', '"grace"', '"oscar"'],
      ['record', 'grace', 'oscar'],
      ['row', '"alice"', '"bob"'],
    ] as const) {
      rewrite(storage.place, what, from, to)
      expect(await requestsFor('ada'), what).to.deep.equal([])
      for (const who of ['grace', 'ada']) expectProblem(await confirm(who, id), 404, 'not_found')
      rewrite(storage.place, what, to, from)
    }
    // The first word of a request counts.
    const second = { permit: id, by: 'ada', context: { impersonation: idOf('a') } }
    await at.before({ event: 'support.erasing', timeMs: Date.now(), ...second })
    expectProblem(await confirm('grace', id), 403, 'access_denied')
    await expectErased('ada', id)
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
      expect((await confirm('ada', await asked('grace', id))).body, id).to.deep.equal({
        impersonations: 1,
        permits: 0,
      })
      const body = await at.read('ada', '/audit')
      expect(body.rows, id).to.have.length(Math.min(25, ids.length - index - 1))
    }
    for (const none of ['\n', 'a\0', 'x'.repeat(1025)])
      expectStatus(await at.ask('grace', person(none)), 404, none)
  })

  it('is not asked for what somebody put under the name of the person, which is an alarm', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    await begin([...over('a', 'alice'), ...over('b', 'bob')], store)
    rewrite(storage.place, 'row', '"alice"', '"bob"')
    const refused = await askToErase('grace', 'bob')
    expectProblem(refused, 409, 'in_force')
    expect(refused.body.inForce).to.deep.equal([
      { kind: 'impersonation', id: idOf('a'), why: 'tampered' },
    ])
    expect(await requestsFor('ada')).to.deep.equal([])
    const [alarm] = (await at.read('grace', '')).inbox.alarms
    expect(alarm).to.deep.include({ id: idOf('a') })
    expect(await rejection(expectWholeExport(at))).to.have.property('name', 'Broken')
    isClosed = true
    await at[Symbol.asyncDispose]()
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
    const all = async (who: string) => [
      ...(await Promise.all(paths.map(async (path) => (await at.ask(who, path)).status))),
      (await askToErase(who)).status,
    ]
    expect(new Set(await all('grace'))).to.deep.equal(new Set([404]))
    expect(await at.read('grace', '/me')).not.to.have.property('mayErase')
    await at[Symbol.asyncDispose]()

    await begin(over('a', 'alice'))
    expect(new Set(await all('olivia'))).to.deep.equal(new Set([403]))
    expectStatus(await confirm('olivia', await asked('grace')), 404)
    expect(await at.read('olivia', '/me')).not.to.have.property('mayErase')
    expect(await at.read('ada', '/me')).to.include({ mayErase: true })
    // An auditor finds customers nowhere else.
    expect((await at.read('ada', '/personal-data?q=alice')).customers).to.have.length(1)
    expect(await at.read('ada', person('nobody'))).to.include({ isKnown: false })
    expectStatus(await at.ask(undefined, '/personal-data'), 401)
    expectStatus(await askToErase('ada', 'nobody'), 404)
    expectStatus(await at.ask('ada', person('alice', '/erase'), {}), 400)
  })

  it('is not where the deployment does not answer whether somebody may', async () => {
    let answer: () => unknown = () => {
      throw new Error('out of order')
    }
    at = await consoleOn(memoryAudit(), { mayErase: () => answer() })
    expectStatus(await at.ask('grace', '/personal-data'), 503)
    answer = () => 'yes'
    expectStatus(await at.ask('grace', '/personal-data'), 500)
    answer = async () => false
    expectStatus(await at.ask('grace', '/personal-data'), 403)
  })

  it('is not decided by the person concerned', async () => {
    await begin(over('g', 'grace'))
    expectProblem(await askToErase('grace', 'grace'), 403, 'access_denied')
    const id = await asked('ada', 'grace')
    const [request] = await requestsFor('grace')
    expect(request).to.deep.include({ may: [], isMine: false })
    expectProblem(await confirm('grace', id), 403, 'access_denied')
    await expectErased('oscar', id)
  })

  it('lapses a day later, and can be asked for again', async () => {
    await begin(over('a', 'alice'))
    const id = await asked()
    await later(DAY - 5000, async () => {
      expect(await requestsFor('ada')).to.have.length(1)
    })
    await later(DAY, async () => {
      const [ada, grace] = [await signedIn('ada'), await signedIn('grace')]
      expect(await requestsFor(ada)).to.deep.equal([])
      expectProblem(await confirm(ada, id), 404, 'not_found')
      const again = await asked(grace)
      await expectErased(ada, again)
    })
  })

  it('is refused while something is on hold', async () => {
    await begin([...over('a', 'alice'), ...over('b', 'alice', AGO + 9)])
    const id = await asked()
    const forBoth = async (path: string, body: object) => {
      for (const each of ['a', 'b']) {
        expectStatus(await at.ask('ada', `/audit/${idOf(each)}/${path}`, body), 204)
      }
    }
    await forBoth('hold', NOTE)
    const body = await at.read('ada', person('alice'))
    expect(body.held).to.equal(2)
    expect(body.inForce).to.deep.include({ kind: 'impersonation', id: idOf('a'), why: 'held' })
    const refused = await confirm('ada', id)
    expectProblem(refused, 409, 'in_force')
    expect(refused.body.inForce).to.have.length(2)
    expectProblem(await askToErase(), 409, 'conflict')
    await forBoth('release', {})
    await expectErased('ada', id, 2)
  })

  it('is no hold where it is done before the hold is stored', async () => {
    const store = memoryAudit()
    const otherProcess = processOn(store)
    let isErased = false
    const slow = interceptCalls(store, 'write', async ({ entries }) => {
      if (isErased || !entries.some(({ text }) => text.includes('"support.held"'))) return
      isErased = true
      await otherProcess.erase('alice')
    })
    at = await consoleOn(slow)
    await at.before(...over('a', 'alice'))
    const { status, body } = await at.ask('ada', `/audit/${idOf('a')}/hold`, NOTE)
    expect([status, body.error_description]).to.deep.equal([404, 'it was erased meanwhile'])
    expect(isErased).to.equal(true)
    await otherProcess.close()
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })

  it('that broke off after its entry is finished later, once', async () => {
    const audit = faultyAudit()
    await begin([...over('a', 'alice'), ...over('b', 'alice', AGO + 9)], audit)
    const id = await asked()
    audit.failing = ['remove']
    audit.passing = 1
    expectStatus(await confirm('ada', id), 500)
    audit.failing = []
    await later(2 * DAY, async () => {
      const [oscar, grace] = [await signedIn('oscar'), await signedIn('grace')]
      const [request] = await requestsFor(oscar)
      expectBegun(request, id)
      expectProblem(await confirm(grace, id), 403, 'access_denied')
      await expectErased(oscar, id)
      expect(await requestsFor(oscar)).to.deep.equal([])
    })
    expect(await expectWholeExport(at)).not.to.match(/alice|zoe@/)
  })

  it('is not done where the tables are not as they were created', async () => {
    await using storage = await newPlace('sqlite')
    const { store } = await storeAt('sqlite', storage.place)
    await begin(over('a', 'alice'), store)
    const id = await asked()
    const database = new DatabaseSync(storage.place)
    database.exec('CREATE INDEX own ON impersonation_audit_impersonation (at)')
    for (const refused of [at.console.erase('alice'), text(at.console.exportOf('alice'))])
      expect(await rejection(refused)).to.have.property('code', 'ERR_AUDIT_SCHEMA')
    expectStatus(await confirm('ada', id), 500)
    database.exec('DROP INDEX own')
    database.close()
    await expectErased('ada', id)
    await close()
  })
})
