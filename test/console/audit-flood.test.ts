import { expect } from 'chai'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { recorder } from '../../console/audit/recorder.ts'
import { refusalCounter } from '../../console/backend/refusals.ts'
import { quietly } from '../example-provider/quietly.ts'
import { type Example, exchange, postJson, signIn, start } from '../example-provider/support.ts'
import { entryOf, times } from './audit-contract.ts'
import { act, entriesOf, eventsOf, get, signInToAccount, WHY } from './audit-support.ts'

const MANY = 5100

describe('console: flooding the audit', function () {
  this.timeout(180_000)

  let example: Example
  let olivia: string
  beforeEach(async () => {
    example = await start()
    olivia = await signIn(example.url)
  })
  afterEach(() => example.close())

  const search = async (query = '') =>
    entriesOf(await get(`${example.url}/support/audit${query}`, olivia))
  const ask = (token: string, more: object = {}) =>
    postJson(`${example.url}/support/impersonations`, { ...WHY, ...more }, token)

  it('with tokens that nobody issued hides nothing, and is in the log', async () => {
    await act(example.url, olivia)
    const { stdout } = await quietly(async () => {
      for (let sent = 0; sent < MANY; sent += 100) {
        await Promise.all(Array.from({ length: 100 }, () => exchange(example.url, 'garbage')))
      }
      expect(eventsOf(await search())).to.deep.equal([
        'impersonation.granted',
        'impersonation.issued',
      ])
      const alice = await signInToAccount(example.url, 'alice')
      const told = entriesOf(await get(`${example.url}/account/impersonations`, alice))
      expect(told).to.have.length(1)
    })
    const denied = stdout.filter((line) => line.includes('"impersonation.denied"'))
    expect(denied).to.have.length(MANY)
  })

  it('is no way for what names anybody to stay out of the store', async () => {
    const store = memoryAudit()
    const { record } = recorder(store, () => {})
    const named = [{ subject: 'alice' }, { actor: { sub: 'olivia' } }, { issuedTo: 'backend' }]
    const nobody = { subject: undefined, client: 'support-console', id: 'x' }
    const { stdout, stderr } = await quietly(async () => {
      for (const [time, who] of [...named, nobody].entries()) {
        await record(entryOf(time, { subject: undefined, ...who }))
      }
    })
    expect([stdout.length, stderr]).to.deep.equal([4, []])
    expect(times(await store.after(undefined, 10))).to.deep.equal([0, 1, 2])
  })

  it('with refusals is over after twenty in a minute, which is told once', async () => {
    const alice = await signIn(example.url, 'alice')
    const { stderr } = await quietly(async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, sent) => ask(alice, { ticketId: `SUP-${sent}` })),
      )
      const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
      expect([count(403), count(429)]).to.deep.equal([20, 10])
      const last = await ask(alice)
      expect([last.status, last.body.error]).to.deep.equal([429, 'temporarily_unavailable'])
      expect(Number(last.headers.get('retry-after'))).to.be.within(1, 60)
    })
    expect(stderr).to.have.length(1)
    expect(stderr[0]).to.match(/^support\.refused: alice was refused 20 times in a minute/)
    expect(await search('?event=support.refused')).to.have.length(20)
  })

  it('with refusals stops nobody else, nor what an operator may do, and is one entry', async () => {
    await quietly(async () => {
      for (let sent = 0; sent < 21; sent += 1) await ask(olivia, { userId: 'grace' })
      expect((await ask(olivia, { userId: 'grace' })).status).to.equal(429)
      expect((await ask(await signIn(example.url, 'alice'))).status).to.equal(403)
      expect((await ask(olivia)).status).to.equal(201)
    })
    const refused = await search('?event=support.refused')
    const counts = refused.map(({ actor, count = 1 }) => [actor, Number(count)])
    expect(counts[0]).to.deep.equal([{ sub: 'alice' }, 1])
    // More than one only if the hour changed during the test.
    expect(counts.length).to.be.at.most(3)
    expect(counts.slice(1).reduce((sum, [, count]) => sum + Number(count), 0)).to.equal(20)
  })

  it('with long texts keeps no more than a request may have', async () => {
    const alice = await signIn(example.url, 'alice')
    await ask(alice, { userId: 'x'.repeat(256) })
    await ask(alice, { userId: 'x'.repeat(255) })
    const [kept, left] = await search('?event=support.refused')
    expect(kept?.subject).to.equal('x'.repeat(255))
    expect(left).to.not.have.any.keys('subject', 'context', 'scope')
  })

  it('is counted by account, whatever it is called', async () => {
    const count = refusalCounter()
    for (const name of ['alice', '__proto__']) {
      for (let sent = 0; sent < 20; sent += 1) await count(name)
    }
    await quietly(async () => {
      const problem = await count('__proto__').catch((error: unknown) => error)
      expect(problem).to.include({ status: 429 })
    })
    await count('bob')
  })
})
