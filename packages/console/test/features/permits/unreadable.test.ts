import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { InForceError, type Permits } from 'oidc-provider-impersonation-console'
import { createSqliteAudit } from 'oidc-provider-impersonation-console/audit/sqlite'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { askAs } from '../../support/account.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { until } from '../notices/until.ts'

/** Carla is asked, a change needs a second person, and there are emergencies. */
const rule: Authorize = ({ account }) => ({
  needs: account.accountId === 'carla' ? ['user', 'second_person'] : ['second_person'],
  emergency: true,
})

const ACT = {
  userId: 'carla',
  ticketId: 'SUP-123',
  reason: 'The address is wrong',
  application: 'shop',
  access: 'change',
}

/** What the column `data` of a permit becomes. */
const SPOILS: Readonly<Record<string, (data: string) => string>> = {
  'of a newer version': (data) => JSON.stringify({ ...JSON.parse(data), data: '{"kind":7}' }),
  'of a kind that is not known': (text) => {
    const stored = JSON.parse(text)
    const data = JSON.stringify({ ...JSON.parse(stored.data), kind: 'suspended' })
    return JSON.stringify({ ...stored, data })
  },
  // The database takes no other JSON: the permit is a text in it.
  damaged: (data) => {
    const permit = JSON.parse(data)
    return JSON.stringify({ ...permit, data: permit.data.slice(0, -40) })
  },
}

for (const [how, spoilt] of Object.entries(SPOILS)) unreadable(how, spoilt)

function unreadable(how: string, spoilt: (data: string) => string) {
  describe(`I17: a permit that cannot be read stops nothing but itself: ${how}`, () => {
    let folder: string
    let permits: Permits
    let deployment: Deployment

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'permits-'))
      const audit = createSqliteAudit({ file: join(folder, 'audit.db') })
      const options = { audit, standing: {}, approvers: () => [{ id: 'grace' }] }
      permits = permitsWith(options, () => Date.now())
      deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
    })
    afterEach(async () => {
      await permits.close()
      await deployment[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    })

    function spoil(id = ''): void {
      const database = new DatabaseSync(join(folder, 'audit.db'))
      const read = database.prepare('SELECT data FROM impersonation_audit_record WHERE id = ?')
      const data = spoilt(String(read.get(id)?.data))
      database.prepare('UPDATE impersonation_audit_record SET data = ? WHERE id = ?').run(data, id)
      database.close()
    }
    const ask = (who: string, path: string, body?: unknown) => deployment.ask(who, path, body)
    async function asked(more: object = {}): Promise<string> {
      const { status, body } = await ask('olivia', '/permits', { ...ACT, ...more })
      expect(status, JSON.stringify(body)).to.equal(201)
      return body.record.id
    }

    it('of a request: pages, counts, streams and the customer’s no go on', async () => {
      const [bad, good] = [await asked(), await asked({ userId: 'alice' })]
      await permits.decide(bad, 'granted', { by: 'carla' })
      await permits.decide(bad, 'granted', { by: 'grace' })
      const running = await deployment.impersonate({ customer: 'carla', ticket: 'SUP-123' })
      spoil(bad)
      for (const [who, path] of [
        ['grace', ''],
        ['olivia', ''],
        ['ada', '/records'],
      ] as const) {
        const { status, body } = await ask(who, path)
        const records = body.records ?? (who === 'grace' ? body.inbox.records : body.own)
        expect([status, records.map(({ id }: { id: string }) => id)]).to.deep.equal([200, [good]])
      }
      expect((await deployment.browse('grace', '/rules')).text).to.include('<title>(1) ')
      expect((await ask('grace', `/records/${bad}`)).status).to.equal(404)
      expect((await ask('olivia', '/impersonations', ACT)).status, 'it allows nothing').to.equal(
        403,
      )
      expect(await permits.answer('carla', 'ask')).to.deep.equal({ choice: 'ask' })
      expect((await deployment.provider.impersonation.get(running.id))?.state).to.equal('ended')
      await asked()
      const complaints = deployment.log.filter(
        (line) => line.includes(bad) && line.startsWith('audit:'),
      )
      expect(complaints, 'once').to.have.length(1)
    })

    it('of one that was revoked: what runs under it ends, and what others allowed as well', async () => {
      const [bad, good] = [await asked({ userId: 'alice' }), await asked({ userId: 'bob' })]
      for (const id of [bad, good]) await permits.decide(id, 'granted', { by: 'grace' })
      const running = [
        await deployment.impersonate({ customer: 'alice', ticket: 'SUP-123' }),
        await deployment.impersonate({ customer: 'bob', ticket: 'SUP-123' }),
      ]
      const { impersonation } = deployment.provider
      const { endAll } = impersonation
      Object.assign(impersonation, { endAll: () => Promise.reject(new Error('away')) })
      for (const id of [bad, good]) await permits.decide(id, 'revoked', { by: 'grace' })
      spoil(bad)
      Object.assign(impersonation, { endAll })
      for (const { id } of running) {
        await until(async () => (await impersonation.get(id))?.state === 'ended')
      }
    })

    it('of an emergency that was to be reviewed: there is no next one', async () => {
      const facts = {
        customer: 'alice',
        operator: 'olivia',
        application: 'shop',
        resource: `${deployment.url}/orders`,
        scope: 'orders:read',
        ticket: 'SUP-1',
        reason: 'Fire',
      }
      const { id } = await permits.emergency({ ...facts, why: 'It cannot wait' })
      spoil(id)
      const again = await permits
        .emergency({ ...facts, why: 'It cannot wait' })
        .catch(({ error }) => error)
      expect(again).to.equal('review_due')
      expect(
        (await permits.emergency({ ...facts, operator: 'oscar', why: 'It cannot wait' })).state,
      ).to.equal('granted')
    })

    it('of a pause: it holds, and there is no page of it', async () => {
      await permits.decide(await asked({ userId: 'alice' }), 'granted', { by: 'grace' })
      const { id } = await deployment.impersonate({ customer: 'alice', ticket: 'SUP-123' })
      await deployment.settled()
      expect((await askAs(deployment, 'alice', '/objection', { id })).status).to.equal(200)
      const [pause = expect.fail('there is none')] = (
        await permits.list({ kind: 'stop', isOpen: true })
      ).records
      spoil(pause.id)
      const note = 'It was agreed'
      for (const answer of [
        await ask('grace', `/records/${pause.id}`),
        await ask('grace', `/records/${pause.id}/lifted`, { note }),
      ]) {
        expect(answer.status).to.equal(404)
      }
      const start = await ask('olivia', '/impersonations', { ...ACT, userId: 'alice' })
      expect(start.status).to.equal(503)
      const other = await ask('olivia', '/impersonations', ACT)
      expect(other.body.error).to.equal('approval_required')
    })

    it('of a customer’s answer: it is no, until the customer answers again', async () => {
      await permits.answer('carla', 'allow')
      const entries = await deployment.audit.entries({ limit: 50 })
      const texts = entries.map(({ text = '{}' }) => JSON.parse(text))
      spoil(texts.find(({ event }) => event === 'support.opened')?.permit)
      expect((await permits.answer('carla')).choice).to.equal('ask')
      expect((await ask('olivia', '/impersonations', ACT)).body.error).to.equal('approval_required')
      expect(
        (await ask('olivia', '/impersonations', { ...ACT, userId: 'bob' })).body.error,
      ).to.equal('approval_required')
      await permits.answer('carla', 'allow')
      expect((await permits.answer('carla')).choice).to.equal('allow')
    })

    it('of a customer: an erasure erases nothing, and says which; the export leaves it out, and says so', async () => {
      const [bad, good] = [await asked(), await asked({ userId: 'alice' })]
      await permits.decide(bad, 'declined', { by: 'carla' })
      await permits.decide(good, 'revoked', { by: 'olivia' })
      const other = await asked({ application: 'shop', ticketId: 'SUP-2', userId: 'bob' })
      await permits.decide(other, 'revoked', { by: 'olivia' })
      spoil(bad)
      const count = async () =>
        (await deployment.audit.entries({ limit: 1000 })).filter(({ text }) => text).length
      const before = await count()
      const error: unknown = await deployment.console.erase('carla').catch((thrown) => thrown)
      expect(error).to.be.instanceOf(InForceError)
      expect(error).to.deep.include({ inForce: [{ kind: 'permit', id: bad, why: 'unreadable' }] })
      expect(await count(), 'nothing is erased').to.equal(before)
      let text = ''
      const read = async () => {
        for await (const part of deployment.console.exportOf('carla')) text += part
      }
      const left: unknown = await read().catch((thrown) => thrown)
      expect(String(left)).to.equal(
        `InForceError: this is left out of the export: permit ${bad} (unreadable)`,
      )
      expect(text).not.to.include(bad)
      let others = ''
      for await (const part of deployment.console.exportOf('alice')) others += part
      expect(others, 'another customer').to.include(good)
    })
  })
}
