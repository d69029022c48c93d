import { expect } from 'chai'
import { renewed } from '../../../../../test/support/shared.ts'
import { ACT } from '../../support/acting.ts'
import { deploy } from '../../support/deployment.ts'
import { expectProblem, expectRefusal, expectStatus } from '../../support/expect-answer.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { readText } from '../../support/read-text.ts'

interface Shown {
  readonly id: string
  readonly isMine: boolean
  readonly canEnd: boolean
}

describe('what runs', () => {
  let audit: FaultyAudit
  afterEach(() => {
    audit.failing = []
  })
  const deployment = renewed(() => {
    audit = faultyAudit()
    return deploy({ audit })
  })

  async function runningFor(who: string): Promise<Shown[]> {
    const { status, body } = await deployment.ask(who, '')
    expect(status).to.equal(200)
    return body.running
  }

  it('an operator sees their own, a lead and an auditor see all, oldest first', async () => {
    const first = await deployment.impersonate({ operator: 'olivia', access: 'read' })
    const second = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    const seen = async (who: string) =>
      (await runningFor(who)).map(({ id, isMine, canEnd }) => ({ id, isMine, canEnd }))
    const [own, other] = [
      { id: first.id, isMine: true, canEnd: true },
      { id: second.id, isMine: false, canEnd: false },
    ]
    expect(await seen('olivia')).to.deep.equal([own])
    // Those of one second have no order.
    expect(await seen('grace')).to.have.deep.members([
      { ...own, isMine: false },
      { ...other, canEnd: true },
    ])
    expect(await seen('ada')).to.have.deep.members([
      { ...own, isMine: false, canEnd: false },
      other,
    ])
    const body = await deployment.read('grace', '')
    const shown = body.running.find(({ id }: Shown) => id === first.id)
    expect(shown).to.deep.include({
      operator: { id: 'olivia', name: 'Olivia Okafor', email: 'olivia@support.example' },
      customer: { id: 'alice', name: 'Alice Ng', email: 'alice@example.com' },
      ticket: 'SUP-123',
      reason: 'An order did not arrive',
      applicationName: 'Shop',
      canChange: false,
    })
    expect(shown.expiresAt - shown.startedAt).to.equal(600_000)
    expect(body.more).to.equal(false)
  })

  it('has the newest request, in the words of the deployment, for who may see what was done', async () => {
    await using described = await deploy({
      console: {
        account: {
          clientId: 'customer-account',
          describe: ({ method }) => (method === 'POST' ? 'Changed a note' : undefined),
        },
      },
    })
    const { look, change, refused } = await described.impersonate({ operator: 'oscar' })
    const lastUse = async (who: string, path = '') => {
      const [first] = (await described.read(who, path)).running
      return first?.lastUse
    }
    expect(await lastUse('grace')).to.equal(undefined)
    await look()
    expect(await lastUse('grace')).to.include({ method: 'GET', path: '/orders', status: 200 })
    await change()
    for (const who of ['grace', 'ada', 'oscar']) {
      expect(await lastUse(who), who).to.include({ method: 'POST', words: 'Changed a note' })
    }
    await refused()
    expect(await lastUse('grace')).to.include({ isRefused: true })
    expect(await lastUse('oscar', '/customers/alice')).to.include({ isRefused: true })
    expect(await lastUse('olivia', '/customers/alice'), 'what another did').to.equal(undefined)
    const { rows } = await described.read('olivia', '/audit?customer=alice')
    expect(rows[0]).to.include({ refused: 1 }).and.not.to.have.property('lastUse')
  })

  it('lists 500 of a crowd, and says that more run; the strip has what the reader runs', async () => {
    await deployment.impersonate({ operator: 'grace', customer: 'bob' })
    const { impersonation } = deployment.provider
    const list = impersonation.list.bind(impersonation)
    const [own] = (await list({ actor: 'grace' })).items
    let made = 0
    const crowded: typeof list = async (filter) => {
      // The search for missing entries asks for all of them, and would come to no end.
      if (filter?.actor !== undefined || filter?.state === undefined) return list(filter)
      const items = Array.from({ length: 100 }, () => ({ ...own, id: `other-${made++}` }))
      return { items, next: 'more' } as Awaited<ReturnType<typeof list>>
    }
    Object.assign(impersonation, { list: crowded })
    const body = await deployment.read('grace', '')
    expect([body.running.length, body.more]).to.deep.equal([500, true])
    const { text } = await deployment.browse('grace', '')
    expect(readText(text)).to.include("You're acting as Bob Marsh")
  })

  it('an operator ends their own, and the row says who did', async () => {
    const running = await deployment.impersonate()
    const end = () => deployment.ask('olivia', `/running/${running.id}/end`, {})
    const { status, text } = await end()
    expect([status, text]).to.deep.equal([204, ''])
    expect(await runningFor('olivia')).to.deep.equal([])
    const body = await deployment.read('olivia', `/audit/${running.id}`)
    expect([body.outcome, body.end.by]).to.deep.equal(['requested', 'olivia'])
    expectStatus(await end(), 204, 'again')
  })

  it('what another operator runs is not there for an operator, and a lead ends it', async () => {
    const { id } = await deployment.impersonate({ operator: 'oscar' })
    const end = (who: string) => deployment.ask(who, `/running/${id}/end`, {})
    expectStatus(await end('olivia'), 404)
    expectStatus(await end('ada'), 403)
    expect(await runningFor('oscar')).to.have.length(1)
    expectStatus(await end('grace'), 204)
    expect(await runningFor('oscar')).to.deep.equal([])
  })

  it('what is not there, or can be no id, is 404', async () => {
    for (const id of ['x'.repeat(43), 'x', '%2e%2e', '%00']) {
      for (const who of ['olivia', 'grace']) {
        expectProblem(await deployment.ask(who, `/running/${id}/end`, {}), 404, 'not_found', id)
      }
    }
  })

  it('I11: also what was handed over and not opened yet', async () => {
    const handedOver = await deployment.ask('olivia', '/impersonations', ACT)
    const { items } = await deployment.provider.impersonation.list({ actor: 'olivia' })
    await deployment.ask('olivia', `/running/${items[0]?.id}/end`, {})
    const error = await deployment.exchange('olivia', handedOver.body).catch(String)
    expect(error).to.contain('not exchanged')
  })

  it('the page shows what each may do: a lead ends one or all and pauses, an auditor reads', async () => {
    const { id, look } = await deployment.impersonate({ ticket: 'SUP-1' })
    const pageOf = async (who: string) => (await deployment.browse(who, '')).text
    const lead = await pageOf('grace')
    expect(readText(lead)).to.contain('1 impersonation is running').and.to.contain('Nothing yet')
    expect(lead).to.contain(`action="/console/running/${id}/end"`)
    expect(readText(lead)).to.contain('Stop Olivia Okafor')
    expect(lead).to.contain('href="/console/customers/alice"')
    const auditor = await pageOf('ada')
    expect(readText(auditor)).to.match(/Olivia Okafor.* Alice Ng.* SUP-1 An order did not arrive/)
    expect(auditor).not.to.match(/<form(?![^>]*sign-out)|\/console\/customers/)
    await look()
    expect(await pageOf('grace')).to.contain(`href="/console/audit/${id}"`)
    expect(readText(await pageOf('grace'))).to.contain('GET /orders')
    expectStatus(await deployment.send('grace', `/running/${id}/end`, { from: '' }), 303)
    expect(readText(await pageOf('grace'))).to.contain('No one is acting as a customer right now.')
  })

  it('I5: a storage that fails is trouble, and never an empty list', async () => {
    const { id } = await deployment.impersonate()
    // The sign-in is looked up in the same storage: it fails after that.
    const { list, get, endAll } = deployment.provider.impersonation
    const fail = async () => {
      throw new Error('the storage is out of order')
    }
    Object.assign(deployment.provider.impersonation, { list: fail, get: fail, endAll: fail })
    for (const [path, body] of [
      ['', undefined],
      [`/running/${id}/end`, {}],
      ['/customers/alice', undefined],
    ] as const) {
      const why = 'the provider cannot look up impersonations now'
      const answer = await deployment.ask('olivia', path, body)
      expectRefusal(answer, 503, 'temporarily_unavailable', why)
    }
    Object.assign(deployment.provider.impersonation, { list, get, endAll })
  })

  it('is shown without names while the audit cannot be read, and can be ended', async () => {
    const { id } = await deployment.impersonate()
    audit.failing = 'all'
    const body = await deployment.read('grace', '')
    expect(body.running[0]).to.deep.include({
      id,
      operator: { id: 'olivia' },
      customer: { id: 'alice' },
      ticket: 'SUP-123',
    })
    const page = await deployment.browse('grace', '')
    expect(page.text).to.contain(`action="/console/running/${id}/end"`)
    expectStatus(await deployment.ask('grace', `/running/${id}/end`, {}), 204)
    expect(await runningFor('grace')).to.deep.equal([])
    audit.failing = []
    await deployment.settled()
    const row = await deployment.read('grace', `/audit/${id}`)
    expect(row.end.by, 'the entry of the end was not lost').to.equal('grace')
  })
})
