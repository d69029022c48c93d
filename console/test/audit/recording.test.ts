import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import type { Alarm } from '../../src/audit/alarms.ts'
import { createMemoryAudit } from '../../src/audit/memory.ts'
import { createSqliteAudit } from '../../src/audit/sqlite.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { decoded, found, readOn, times } from './contract/support.ts'

/** A store whose appends fail while it is told to. */
function failing(store: AuditStore) {
  const fault = { isBroken: false }
  const append: AuditStore['append'] = async (batch) => {
    if (fault.isBroken) throw new Error('disk full')
    await store.append(batch)
  }
  return { fault, store: { ...store, append } }
}

const eventsOf = async (store: AuditStore) =>
  decoded(await readOn(store, undefined, 500)).map((entry) => entry?.event)

/** The lines of one event in the log. */
const logged = ({ log }: Deployment, event: string) =>
  log.filter((line) => line.startsWith(`{"event":"${event}"`))

const inGroups = async (count: number, send: () => Promise<unknown>) => {
  for (let sent = 0; sent < count; sent += 50) await Promise.all(Array.from({ length: 50 }, send))
}

describe('the audit of a deployment', function () {
  this.timeout(60_000)

  it('has one row for an impersonation, from the request to its end, with names and one chain', async () => {
    await using deployment = await deploy()
    const running = await deployment.impersonate()
    expect([await running.look(), await running.change(), await running.refused()]).to.deep.equal([
      200, 200, 403,
    ])
    await running.end()
    await deployment.settled()
    const [row, ...others] = await found(deployment.audit)
    expect(others).to.deep.equal([])
    expect(row).to.deep.include({ id: running.id, ticket: 'SUP-123', application: 'shop' })
    expect(row).to.include({ reads: 1, changes: 1, refused: 1, issuedTo: 'support-backend' })
    expect(row?.customer).to.include({ id: 'alice' }).and.to.have.property('name')
    expect(row?.operator).to.include({ id: 'olivia' }).and.to.have.property('name')
    expect(row?.end).to.include({ cause: 'requested' })
    expect(await eventsOf(deployment.audit)).to.deep.equal([
      'impersonation.issued',
      'impersonation.granted',
      'impersonation.used',
      'impersonation.used',
      'impersonation.used',
      'impersonation.ended',
    ])
    expect(await deployment.audit.heads()).to.have.length(1)
    const text = (await readOn(deployment.audit)).map((entry) => entry.text).join('\n')
    for (const secret of [
      running.subjectToken,
      running.accessToken,
      await deployment.tokenOf('olivia'),
    ]) {
      expect(text).not.to.include(secret)
      expect(deployment.log.join('\n')).not.to.include(secret)
    }
  })

  it('has one entry for a token that is replayed 300 times, one alarm, and buries nothing', async () => {
    const alarms: Alarm[] = []
    await using deployment = await deploy({
      console: { onAlarm: (alarm: Alarm) => alarms.push(alarm) },
    })
    const running = await deployment.impersonate()
    await inGroups(300, running.replay)
    await deployment.settled()
    expect(logged(deployment, 'impersonation.replayed'), 'the log has every one').to.have.length(
      300,
    )
    const stored = await readOn(deployment.audit)
    const counts = decoded(stored).map((entry, index) => [entry?.event, stored[index]?.count])
    expect(counts).to.have.deep.members([
      ['impersonation.issued', 1],
      ['impersonation.granted', 1],
      ['impersonation.replayed', 300],
      ['impersonation.ended', 1],
    ])
    const row = await deployment.audit.row(running.id)
    expect(row).to.deep.include({ replays: 300, alarm: row?.alarm })
    expect(row?.alarm).to.include({ count: 300 })
    expect(row?.end).to.include({ cause: 'replay' })
    expect(alarms.map(({ kind, impersonation }) => [kind, impersonation.id])).to.deep.equal([
      ['replayed', running.id],
    ])
    expect(alarms[0]?.url).to.equal(`${deployment.consoleUrl}/audit/${running.id}`)
  })

  it('is not flooded by tokens that the provider never issued: they are in the log alone', async () => {
    await using deployment = await deploy()
    await deployment.impersonate()
    const garbage = () =>
      fetch(`${deployment.issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
          client_id: 'shop',
          subject_token: randomUUID(),
          subject_token_type: ACCESS_TOKEN_TYPE,
          resource: `${deployment.url}/orders`,
          scope: 'orders:read',
        }),
      })
    await inGroups(200, garbage)
    await deployment.settled()
    expect(logged(deployment, 'impersonation.denied')).to.have.length(200)
    expect(await eventsOf(deployment.audit)).to.deep.equal([
      'impersonation.issued',
      'impersonation.granted',
    ])
  })

  it('I13: holds what was granted, refuses the rest with 503, and is whole once it can be', async () => {
    const { store, fault } = failing(createMemoryAudit())
    await using deployment = await deploy({ audit: store })
    const running = await deployment.impersonate()
    const { body: before } = await deployment.ask('olivia', '/impersonations', {
      userId: 'bob',
      ticketId: 'SUP-1',
      reason: 'r',
      application: 'shop',
      access: 'read',
    })
    await deployment.settled()
    fault.isBroken = true
    let answered = 0
    await inGroups(1100, async () => {
      if ((await running.look()) === 200) answered += 1
    })
    expect(answered, 'as many as may wait, and those on their way').to.be.within(1000, 1050)
    const refused = await deployment.exchange('olivia', before).catch(String)
    expect(refused).to.include('temporarily_unavailable')
    const issue = await deployment.ask('olivia', '/impersonations', {
      userId: 'alice',
      ticketId: 'SUP-2',
      reason: 'r',
      application: 'shop',
      access: 'read',
    })
    expect([issue.status, issue.headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect((await deployment.ask('olivia', '/me')).status).to.equal(200)
    await running.end()
    expect((await deployment.provider.impersonation.get(running.id))?.state).to.equal('ended')
    fault.isBroken = false
    await deployment.settled()
    await deployment.exchange('olivia', before)
    await deployment.settled()
    const events = await eventsOf(store)
    expect(events.filter((event) => event === 'impersonation.used')).to.have.length(answered)
    expect(events.filter((event) => event !== 'impersonation.used')).to.deep.equal([
      'impersonation.issued',
      'impersonation.granted',
      'impersonation.issued',
      'impersonation.ended',
      'impersonation.granted',
    ])
    expect((await store.row(running.id))?.reads).to.equal(answered)
    const told = deployment.log.filter((line) => line.startsWith('audit: '))
    expect(told.map((line) => /no entries|too many|entries again/.exec(line)?.[0])).to.deep.equal([
      'no entries',
      'too many',
      'entries again',
    ])
  })

  it('stores what is left before it is closed, and shows it after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'audit-recording-'))
    const file = join(folder, 'audit.db')
    const ids: string[] = []
    {
      await using deployment = await deploy({ audit: createSqliteAudit({ file }) })
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => deployment.impersonate()))
      ids.push(...all.map(({ id }) => id))
      for (const running of all) void running.look()
      await Promise.all(all.map((running) => running.change()))
    }
    await using deployment = await deploy({ audit: createSqliteAudit({ file }) })
    const { body } = await deployment.ask('olivia', '/audit')
    expect(body.rows.map(({ id }: { id: string }) => id)).to.have.members(ids)
    for (const { changes } of body.rows) expect(changes).to.equal(1)
    await rm(folder, { recursive: true })
  })

  it('keeps every request that is recorded at once, in the order of the log', async () => {
    await using deployment = await deploy()
    const running = await deployment.impersonate()
    await inGroups(200, running.look)
    await deployment.settled()
    const log = deployment.log.flatMap((line) =>
      line.startsWith('{') ? [JSON.parse(line).time] : [],
    )
    expect(times(await readOn(deployment.audit, undefined, 500))).to.deep.equal(log)
    expect((await deployment.audit.row(running.id))?.reads).to.equal(200)
  })
})
