import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  ACCESS_TOKEN_TYPE,
  RecorderNotReady,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { decodeEntry } from 'oidc-provider-impersonation-verify/format'
import type { Alarm } from '../../../src/features/alarms/server/alarms.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { createSqliteAudit } from '../../../src/ledger/stores/sqlite/index.ts'
import { until } from '../../features/notices/until.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { faultyAudit } from '../../support/faulty-audit.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { MACHINE } from '../../support/provider.ts'
import { decoded, found, interceptCalls, readOn, times } from '../stores/contract/support.ts'
import { newPlace } from './soak-stores.ts'

/** A store that holds each append until it is released. */
function holding(store: AuditStore) {
  let came = Promise.withResolvers<void>()
  let open = Promise.withResolvers<void>()
  let waiting: readonly string[] = []
  const stopping = interceptCalls(store, 'write', ({ entries }) => {
    waiting = entries.map(({ text }) => decodeEntry(text)?.event ?? '')
    came.resolve()
    return open.promise
  })
  const held = {
    async next(event: string) {
      await came.promise
      expect(waiting).to.deep.equal([event])
    },
    release() {
      const before = open
      came = Promise.withResolvers()
      open = Promise.withResolvers()
      before.resolve()
    },
  }
  return { store: stopping, held }
}

/** Resolves true if a request has no answer while another one gets its own. */
async function isOpen({ issuer }: Deployment, asked: Promise<unknown>) {
  let isAnswered = false
  void asked.then(() => {
    isAnswered = true
  })
  await fetch(`${issuer}/jwks`)
  return !isAnswered
}

const ASKED = {
  userId: 'bob',
  ticketId: 'SUP-1',
  reason: 'r',
  application: 'shop',
  access: 'read',
}

const eventsOf = async (store: AuditStore) =>
  decoded(await readOn(store, undefined, 500)).map((entry) => entry?.event)

/** The lines of one event in the log. */
const logged = ({ log }: Deployment, event: string) =>
  log.filter((line) => line.startsWith(`{"event":"${event}"`))

const inGroups = async (count: number, send: () => Promise<unknown>) => {
  for (let sent = 0; sent < count; sent += 50) await Promise.all(Array.from({ length: 50 }, send))
}

describe('the audit of a deployment', () => {
  it('has one row for an impersonation, from the request to its end, with names', async () => {
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
    expect(row).to.include({ reads: 1, changes: 1, refused: 1, requestedBy: 'support-backend' })
    expect(row?.customer).to.include({ id: 'alice' }).and.to.have.property('name')
    expect(row?.operator).to.include({ id: 'olivia' }).and.to.have.property('name')
    expect(row?.end).to.include({ cause: 'requested' })
    expect(await eventsOf(deployment.audit)).to.deep.equal([
      'impersonation.issued',
      'impersonation.started',
      'impersonation.used',
      'impersonation.used',
      'impersonation.used',
      'impersonation.ended',
    ])
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

  it('has twenty entries for a token that is replayed 300 times, one alarm, and buries nothing', async () => {
    const alarms: Alarm[] = []
    await using deployment = await deploy({
      console: { onAlarm: (alarm: Alarm) => alarms.push(alarm) },
    })
    const running = await deployment.impersonate()
    await inGroups(300, running.atOnce.replay)
    await deployment.settled()
    expect(logged(deployment, 'impersonation.replayed'), 'the log has every one').to.have.length(
      300,
    )
    const events = (await eventsOf(deployment.audit)).filter(
      (event) => !event?.startsWith('support.'),
    )
    expect(events).to.have.members([
      ...['impersonation.issued', 'impersonation.started', 'impersonation.ended'],
      ...Array(20).fill('impersonation.replayed'),
    ])
    const row = await deployment.audit.row(running.id)
    expect(row).to.include({ replays: 20 })
    expect(row?.alarm).to.include({ count: 20 })
    expect(row?.end).to.include({ cause: 'replay' })
    await until(() => alarms.length > 0)
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
      'impersonation.started',
    ])
  })

  for (const isConsoleLast of [false, true])
    it(`I13: while the storage fails, refuses with 503 before anything is done, and ends what is asked, the console mounted ${isConsoleLast ? 'last' : 'first'}`, async () => {
      const audit = faultyAudit()
      await using deployment = await deploy({
        isConsoleLast,
        audit,
        console: { auditTimeout: 0.1 },
      })
      const running = await deployment.impersonate()
      const { body: before } = await deployment.ask('olivia', '/impersonations', ASKED)
      await deployment.settled()
      audit.failing = ['write']
      const { look, change } = running.atOnce
      expect(await look(), 'told after its answer').to.equal(200)
      while (!deployment.log.some((line) => line.includes('no entries'))) await nextTurn()
      expect([await look(), await change()], 'told afterwards').to.deep.equal([200, 200])
      const refused = await deployment.exchange('olivia', before).catch(String)
      expect(refused).to.include('temporarily_unavailable').and.to.include('nothing was done')
      const issue = await deployment.ask('olivia', '/impersonations', ASKED)
      expect([issue.status, issue.headers.get('retry-after')]).to.deep.equal([503, '5'])
      for (const [who, action] of [
        ['ada', `/audit/${running.id}/hold`],
        ['ada', `/audit/${running.id}/release`],
      ] as const) {
        const answer = await deployment.ask(who, action, { note: 'Case 8' })
        expect([answer.status, answer.headers.get('retry-after')], action).to.deep.equal([503, '5'])
        expect(answer.body.error_description, action).to.include('nothing was done')
      }
      // A back office of the deployment: nothing stands before it but the plugin.
      const inProcess = deployment.provider.impersonation
        .issue({ userId: 'alice' }, { as: MACHINE.clientId })
        .catch((thrown) => thrown)
      expect(await inProcess).to.be.instanceOf(RecorderNotReady)
      const overHttp = await fetch(`${deployment.url}/api/subject-tokens`, { method: 'POST' })
      expect([overHttp.status, overHttp.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect((await deployment.ask('olivia', '/me')).status).to.equal(200)
      await running.end()
      expect((await deployment.provider.impersonation.get(running.id))?.state).to.equal('ended')
      audit.failing = []
      await deployment.settled()
      await deployment.exchange('olivia', before)
      await deployment.settled()
      expect(await eventsOf(audit)).to.deep.equal([
        'impersonation.issued',
        'impersonation.started',
        'impersonation.issued',
        'impersonation.used',
        'impersonation.used',
        'impersonation.used',
        'impersonation.ended',
        'impersonation.started',
      ])
      const told = deployment.log.filter((line) => line.startsWith('audit: '))
      expect(
        told.map((line) => /no entries|answered 503|entries again/.exec(line)?.[0]),
        told.join(),
      ).to.deep.equal(['no entries', 'answered 503', 'entries again'])
    })

  it('I13: no token leaves before its entry is stored', async () => {
    const { store, held } = holding(memoryAudit())
    await using deployment = await deploy({ audit: store })
    const asked = deployment.ask('olivia', '/impersonations', ASKED)
    await held.next('impersonation.issued')
    expect(await isOpen(deployment, asked)).to.equal(true)
    held.release()
    const { body } = await asked
    const exchanged = deployment.exchange('olivia', body)
    await held.next('impersonation.started')
    expect(await isOpen(deployment, exchanged)).to.equal(true)
    held.release()
    const running = await exchanged
    const ended = running.end()
    await held.next('impersonation.ended')
    expect((await deployment.provider.impersonation.get(running.id))?.state).to.equal('ended')
    expect(await isOpen(deployment, ended)).to.equal(true)
    held.release()
    await ended
  })

  it('I13: what is not stored in time is 503 and ended, and the audit says both once it can', async () => {
    const { store, held } = holding(memoryAudit())
    await using deployment = await deploy({ audit: store, console: { auditTimeout: 0.2 } })
    const asked = deployment.ask('olivia', '/impersonations', ASKED)
    await held.next('impersonation.issued')
    held.release()
    const { body } = await asked
    const exchange = deployment.exchange('olivia', body).catch(String)
    await held.next('impersonation.started')
    expect(await exchange).to.include('it could not be audited in time')
    held.release()
    await held.next('impersonation.ended')
    const { items } = await deployment.provider.impersonation.list()
    expect(items.map(({ state, end }) => [state, end?.cause])).to.deep.equal([['ended', 'policy']])
    held.release()
    await deployment.settled()
    const [row] = await found(store)
    expect(row?.startedAt).to.be.a('number')
    expect(row?.end?.cause).to.equal('policy')
  })

  it('stores what is left, and what follows a replay, before it is closed, and shows it after a restart', async () => {
    await using storage = await newPlace('sqlite')
    const file = storage.place
    const memory = createMemoryAdapter()
    const adapter = (model: string) => {
      const records = memory(model)
      const endOnce = (id: string, end: Record<string, unknown>) =>
        wait(50).then(() => records.endOnce(id, end))
      return Object.assign(Object.create(records), { endOnce })
    }
    const ids: string[] = []
    {
      await using deployment = await deploy({ adapter, audit: createSqliteAudit({ file }) })
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => deployment.impersonate()))
      ids.push(...all.map(({ id }) => id))
      for (const { atOnce } of all) void atOnce.look()
      await Promise.all(all.map(({ atOnce }) => atOnce.change()))
      await all[0]?.atOnce.replay()
    }
    await using deployment = await deploy({ audit: createSqliteAudit({ file }) })
    const body = await deployment.read('olivia', '/audit')
    expect(body.rows.map(({ id }: { id: string }) => id)).to.have.members(ids)
    for (const { id, changes, end } of body.rows) {
      expect([changes, end?.cause]).to.deep.equal([1, id === ids[0] ? 'replay' : undefined])
    }
  })

  it('keeps every request that is recorded at once, in the order of the log', async () => {
    await using deployment = await deploy()
    const running = await deployment.impersonate()
    await inGroups(200, running.atOnce.look)
    await deployment.settled()
    const log = deployment.log.flatMap((line) =>
      line.startsWith('{') ? [JSON.parse(line).timeMs] : [],
    )
    const stored = times(await readOn(deployment.audit, undefined, 500))
    expect(stored).to.deep.equal(log)
    expect((await deployment.audit.row(running.id))?.reads).to.equal(200)
  })
})
