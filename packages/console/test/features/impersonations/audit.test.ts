import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { shared } from '../../../../../test/support/shared.ts'
import { rejection } from '../../ledger/stores/contract/support.ts'
import { later } from '../../support/clock.ts'
import { deploy, type Running } from '../../support/deployment.ts'
import { expectProblem, expectRefusal, expectStatus, idsOf } from '../../support/expect-answer.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { MACHINE } from '../../support/provider.ts'

/** Notes in which there is nothing to read. */
const UNSEEN = ['\u200b', '\u2060 \ufeff', '\u00ad', '\u3164', '\u2800', '\ufe0f', '\u{e0020}']

describe('the audit over the API', () => {
  const audit = faultyAudit()
  const deployment = shared(() => deploy({ audit }))
  /** Olivia as alice, oscar as alice, oscar as bob. */
  let own: Running
  let others: Running
  let elsewhere: Running

  before(async () => {
    own = await deployment.impersonate({ operator: 'olivia', ticket: 'SUP-1' })
    others = await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-2' })
    elsewhere = await deployment.impersonate({
      operator: 'oscar',
      customer: 'bob',
      ticket: 'SUP-3',
      reason: 'A refund is late',
    })
    await own.look()
    await own.look()
    await own.change()
    await own.refused()
  })

  async function rowsFor(who: string, query = '') {
    const { status, body } = await deployment.ask(who, `/audit${query}`)
    expect(status).to.equal(200)
    return idsOf(body.rows)
  }

  it('leads and auditors see all rows, an operator their own', async () => {
    expect(await rowsFor('grace')).to.have.members(idsOf([own, others, elsewhere]))
    expect(await rowsFor('ada')).to.have.members(idsOf([own, others, elsewhere]))
    expect(await rowsFor('olivia')).to.deep.equal(idsOf([own]))
    expect(await rowsFor('oscar')).to.have.members(idsOf([others, elsewhere]))
  })

  it('an operator sees what others did only of the customer in front of them', async () => {
    expect(await rowsFor('olivia', '?customer=alice')).to.have.members(idsOf([own, others]))
    expect(await rowsFor('olivia', '?customer=bob')).to.deep.equal(idsOf([elsewhere]))
    for (const query of ['?text=refund', '?ticket=SUP-3', '?text=bob']) {
      expect(await rowsFor('olivia', query), query).to.deep.equal([])
    }
    const newer = `/audit?first=0.${'0'.repeat(43)}`
    const count = async (who: string, query: string) =>
      (await deployment.read(who, newer + query)).newer?.count
    expect(await count('olivia', '')).to.equal(1)
    expect(await count('olivia', '&customer=alice')).to.equal(2)
    expect(await count('ada', '')).to.equal(3)
  })

  it('the row and the timeline of another operator are not there for an operator', async () => {
    const path = `/audit/${others.id}`
    expectProblem(await deployment.ask('olivia', path), 404, 'not_found')
    expectStatus(await deployment.ask('ada', path), 200)
  })

  it('a row says who, whom, why, how it stands, and what was done', async () => {
    const body = await deployment.read('ada', `/audit/${own.id}`)
    expect(body).to.deep.include({
      operator: { id: 'olivia', name: 'Olivia Okafor', email: 'olivia@support.example' },
      customer: { id: 'alice', name: 'Alice Ng', email: 'alice@example.com' },
      ticket: 'SUP-1',
      reason: 'An order did not arrive',
      outcome: 'running',
      reads: 2,
      changes: 1,
      refused: 1,
      applicationName: 'Shop',
    })
  })

  it('refuses parameters that are wrong, unknown or repeated, and forged cursors', async () => {
    for (const query of [
      'from=yesterday',
      'from=-1',
      'to=1e9',
      'outcome=won',
      'alarm=yes',
      'held=false',
      'limit=0',
      'limit=201',
      'limit=5x',
      'unknown=1',
      'text=a&text=b',
      `text=${'x'.repeat(101)}`,
      `operator=${'x'.repeat(256)}`,
      'text=%00',
      'first=1',
      `first=x.${'0'.repeat(43)}`,
      'first=1.x',
      'when=won',
      'when=-',
      'when=x-1',
      'from=2026-02-31',
      'to=2026-2-1',
      `when=${'9'.repeat(16)}-`,
      'before=forged',
      'before=%27%3B%20DROP',
      `before=${'9'.repeat(201)}`,
    ]) {
      expectProblem(await deployment.ask('ada', `/audit?${query}`), 400, 'invalid_request', query)
    }
    for (const path of ['?all=1', '?after=forged', '?limit=x', '?limit=201']) {
      expectStatus(await deployment.ask('ada', `/audit/${own.id}${path}`), 400, path)
    }
  })

  describe('alarms, acknowledgements and holds', () => {
    it('open alarms are listed for leads until one has seen them', async () => {
      const list = async () => (await deployment.read('grace', '')).inbox.alarms
      expect(await list(), 'a refused act is none').to.deep.equal([])
      await own.replay()
      expect(idsOf(await list())).to.deep.equal(idsOf([own]))
      const path = `/audit/${own.id}/acknowledge`
      const note = 'Olivia was told'
      expectStatus(await deployment.ask('ada', path, { note, alarms: 1 }), 403)
      for (const alarms of [undefined, 0, -1, 'x']) {
        expectStatus(await deployment.ask('grace', path, { note, alarms }), 400)
      }
      expectStatus(await deployment.ask('grace', path, { note, alarms: 1 }), 204)
      expect(await list()).to.deep.equal([])
      const body = await deployment.read('ada', `/audit/${own.id}`)
      expect(body.acknowledged).to.deep.include({ by: 'grace', note, alarms: 1 })
      const said = { event: 'support.acknowledged', by: 'grace', note }
      expect(body.entries.at(-1)).to.deep.include(said)
    })

    it('there is nothing to acknowledge without an alarm', async () => {
      const path = `/audit/${others.id}/acknowledge`
      expectProblem(await deployment.ask('grace', path, { alarms: 1 }), 409, 'conflict')
    })

    it('a hold counts although the clock of another process was ahead', async () => {
      const at = `/audit/${others.id}`
      const ahead = () => deployment.ask('ada', `${at}/hold`, { note: 'Case 8' })
      expectStatus(await later(60_000, ahead), 204)
      for (const [act, isHeld] of [
        ['release', false],
        ['hold', true],
        ['release', false],
      ] as const) {
        expectStatus(await deployment.ask('ada', `${at}/${act}`, { note: act }), 204)
        expect((await deployment.read('ada', at)).hold).to.include({ isHeld, note: act })
      }
    })

    it('a hold has a reason, and is released', async () => {
      const at = `/audit/${others.id}`
      for (const note of [undefined, '', '   ', ...UNSEEN, 'x'.repeat(1001), 'a\u0007']) {
        expectStatus(await deployment.ask('ada', `${at}/hold`, { note }), 400)
      }
      expectStatus(await deployment.ask('ada', `${at}/release`, {}), 409)
      expectStatus(await deployment.ask('ada', `${at}/hold`, { note: 'Case 7' }), 204)
      const held = await deployment.read('grace', at)
      expect(held.hold).to.deep.include({ by: 'ada', isHeld: true, note: 'Case 7' })
      expect(await rowsFor('ada', '?held=true')).to.deep.equal(idsOf([others]))
      expectStatus(await deployment.ask('grace', `${at}/release`, {}), 204)
      expect(await rowsFor('ada', '?held=true')).to.deep.equal([])
    })

    it('are not for operators: not in rows, not in timelines, not in filters', async () => {
      const body = await deployment.read('olivia', `/audit/${own.id}`)
      expect(body).not.to.have.any.keys('alarm', 'openAlarm', 'acknowledged', 'hold', 'objection')
      const events = body.entries.map(({ event }: { event: string }) => event)
      expect(events).to.include('impersonation.used').and.not.include('support.acknowledged')
      for (const query of ['alarm=open', 'alarm=any', 'held=true', 'operator=oscar']) {
        expectStatus(await deployment.ask('olivia', `/audit?${query}`), 403)
      }
    })
  })

  describe('exports', () => {
    it('are entries themselves: who took what', async () => {
      const { id } = own
      await deployment.ask('ada', '/audit/export.csv?customer=bob&from=1')
      await deployment.ask('ada', `/audit/${id}/entries.jsonl`)
      const missing = await deployment.ask('ada', `/audit/${'x'.repeat(43)}/entries.jsonl`)
      expectStatus(missing, 404)
      const { text } = await deployment.ask('grace', '/audit/entries.jsonl')
      const stored = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const exported = stored
        .flatMap(({ entry }) => (entry?.text === undefined ? [] : [JSON.parse(entry.text)]))
        .filter(({ event }) => event === 'support.exported')
      // No erasure removes this entry, so it does not name the customer.
      const filter = { customer: true, from: 1 }
      const csv = { format: 'csv', filter, impersonation: elsewhere.id }
      expect(exported.slice(-3).map(({ by, context }) => ({ by, context }))).to.deep.equal([
        { by: 'ada', context: csv },
        { by: 'ada', context: { format: 'entries', impersonation: id } },
        { by: 'grace', context: { format: 'entries' } },
      ])
      expect(stored.at(-2).seal, 'the last seal').to.match(/^ey/)
    })

    it('begin only when the audit has the entry of the export', async () => {
      audit.failing = ['write']
      expectProblem(
        await deployment.ask('ada', '/audit/export.csv'),
        503,
        'temporarily_unavailable',
      )
      audit.failing = []
      await deployment.settled()
    })

    /** The first page can be read, and no other. */
    async function failingLater<T>(work: () => Promise<T>): Promise<T> {
      Object.assign(audit, { failing: ['find'], passing: 1, rowsPerPage: 1 })
      try {
        return await work()
      } finally {
        Object.assign(audit, { failing: [], passing: 0, rowsPerPage: undefined })
      }
    }

    it('break off where the audit fails meanwhile: a part is never taken for all', async () => {
      const headers = { authorization: `Bearer ${await deployment.tokenOf('ada')}` }
      const error = await failingLater(async () => {
        const response = await fetch(`${deployment.consoleUrl}/audit/export.csv`, { headers })
        expect(response.status, 'it began').to.equal(200)
        return rejection(response.text())
      })
      expect(error, 'the connection broke').to.be.instanceOf(TypeError)
      expect(deployment.log.join('\n')).to.contain(
        'the export broke off: the audit cannot be read now: the audit is out of order',
      )
    })

    it('break off by a reset: an answer of HTTP/1.0 is not ended by the end of the connection', async () => {
      const { port, hostname } = new URL(deployment.consoleUrl)
      const token = await deployment.tokenOf('ada')
      const lines = [
        'GET /console/audit/export.csv HTTP/1.0',
        `Host: ${hostname}:${port}`,
        `Authorization: Bearer ${token}`,
      ]
      const error = await failingLater(() => {
        const socket = connect(Number(port), hostname)
        socket.write(`${lines.join('\r\n')}\r\n\r\n`)
        return rejection(text(socket))
      })
      expect(error).to.include({ code: 'ECONNRESET' })
    })
  })

  it('I5: a RangeError of the storage is trouble, and no cursor that is malformed', async () => {
    const { error } = audit
    Object.assign(audit, { failing: ['find'], error: new RangeError('Invalid time value') })
    const answer = await deployment.ask('grace', '/audit')
    Object.assign(audit, { failing: [], error })
    expectStatus(answer, 503)
  })

  it('I5: an audit that fails is trouble, and never reads as not found', async () => {
    audit.failing = ['find', 'row', 'timeline', 'countNewer']
    try {
      for (const path of [
        '/audit',
        `/audit?first=0.${own.id}`,
        `/audit/${own.id}`,
        '/audit/export.csv',
      ]) {
        const answer = await deployment.ask('grace', path)
        expectRefusal(answer, 503, 'temporarily_unavailable', 'the audit cannot be read now')
      }
      const goOn = await deployment.ask('olivia', `/impersonations/${own.id}/continue`, {})
      expectStatus(goOn, 503)
      expect(deployment.log.join('\n')).to.contain('the audit is out of order')
    } finally {
      audit.failing = []
    }
  })
})

describe('an audit that cannot be opened at the start', () => {
  it('is 503 until it can, and what happened meanwhile is stored then', async () => {
    const audit = faultyAudit()
    audit.failing = 'all'
    await using deployment = await deploy({ audit, console: { auditTimeout: 0.1 } })
    expect(String(await rejection(deployment.console.check()))).to.contain(
      'the audit is out of order',
    )
    const refused = await deployment.impersonate().catch(String)
    expect(refused, 'whether the operator is stopped is not known').to.contain(
      'temporarily_unavailable',
    )
    const request = {
      userId: 'alice',
      mayAct: { sub: 'olivia', clientId: 'shop' },
      resource: `${deployment.url}/orders`,
      scope: 'orders:read',
      context: { ticketId: 'SUP-1', reason: 'An order did not arrive', access: 'read' },
    }
    const issued = await deployment.provider.impersonation
      .issue(request, { as: MACHINE.clientId })
      .catch(String)
    expect(issued, 'by another backend').to.contain('temporarily_unavailable')
    expectStatus(await deployment.ask('olivia', '/audit'), 503)
    expectStatus(await deployment.ask('olivia', ''), 200)
    audit.failing = []
    await deployment.settled()
    await deployment.console.check()
    const body = await deployment.read('olivia', '/audit')
    // It was issued, could not be recorded, and was ended.
    expect(body.rows.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(['policy'])
    await deployment.impersonate()
  })
})
