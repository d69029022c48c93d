import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { InForceError } from 'oidc-provider-impersonation-console'
import { createSqliteAudit } from 'oidc-provider-impersonation-console/audit/sqlite'
import { newFolder } from '../../../../../test/support/folder.ts'
import { renewed } from '../../../../../test/support/shared.ts'
import { rejection } from '../../ledger/stores/contract/support.ts'
import { ACT } from '../../support/acting.ts'
import { expectStatus, idsOf } from '../../support/expect-answer.ts'
import { takeAway } from '../../support/take-away.ts'
import { deployWithPermits } from '../../support/with-permits.ts'
import { until } from '../notices/until.ts'

/** Carla is asked, a change needs a second person, and there are emergencies. */
const rule: Authorize = ({ account }) => ({
  needs: account.accountId === 'carla' ? ['user', 'second_person'] : ['second_person'],
  emergency: true,
})

/** Damages of the column `data` of a permit. */
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
    let file: string
    const deployment = renewed(() => {
      file = join(newFolder(), 'audit.db')
      return deployWithPermits(rule, { audit: createSqliteAudit({ file }) })
    })

    function spoil(id = '') {
      const database = new DatabaseSync(file)
      const read = database.prepare('SELECT data FROM impersonation_audit_record WHERE id = ?')
      const data = spoilt(String(read.get(id)?.data))
      database.prepare('UPDATE impersonation_audit_record SET data = ? WHERE id = ?').run(data, id)
      database.close()
    }
    const ask = (who: string, path: string, body?: unknown) => deployment.ask(who, path, body)
    const act = (userId = 'carla') =>
      ask('olivia', '/impersonations', { ...ACT, userId, access: 'change' })
    const asked = (customer = 'carla') => deployment.request({ customer })

    it('of a request: pages, counts, streams and the customer’s no go on', async () => {
      const [bad, good] = [await asked(), await asked('alice')]
      for (const by of ['carla', 'grace']) await deployment.permits.decide(bad, 'granted', { by })
      const running = await deployment.impersonate({ customer: 'carla' })
      spoil(bad)
      for (const [who, path] of [
        ['grace', ''],
        ['olivia', ''],
        ['ada', '/records'],
      ] as const) {
        const { status, body } = await ask(who, path)
        const records = body.records ?? (who === 'grace' ? body.inbox.records : body.own)
        expect([status, idsOf(records)]).to.deep.equal([200, [good]])
      }
      expect((await deployment.browse('grace', '/rules')).text).to.include('<title>(1) ')
      expectStatus(await ask('grace', `/records/${bad}`), 404)
      expectStatus(await act(), 403, 'it allows nothing')
      expect(await deployment.permits.answer('carla', 'ask')).to.deep.equal({ choice: 'ask' })
      expect(await deployment.stateOf(running.id)).to.equal('ended')
      await asked()
      const complaints = deployment.log.filter(
        (line) => line.includes(bad) && line.startsWith('audit:'),
      )
      expect(complaints, 'once').to.have.length(1)
    })

    it('of one that was revoked: what runs under it ends, and what others allowed as well', async () => {
      const [{ id: bad }, { id: good }] = [
        await deployment.granted(),
        await deployment.granted({ customer: 'bob' }),
      ]
      const running = [
        await deployment.impersonate(),
        await deployment.impersonate({ customer: 'bob' }),
      ]
      const bringBack = takeAway(deployment, 'endAll')
      for (const id of [bad, good]) await deployment.permits.decide(id, 'revoked', { by: 'grace' })
      spoil(bad)
      bringBack()
      for (const { id } of running) {
        await until(async () => (await deployment.stateOf(id)) === 'ended')
      }
    })

    it('of an emergency that was to be reviewed: there is no next one', async () => {
      spoil((await deployment.emergency()).id)
      expect(await rejection(deployment.emergency())).to.include({ error: 'review_due' })
      const ofOscar = await deployment.emergency({ operator: 'oscar' })
      expect(ofOscar.state).to.equal('granted')
    })

    it('of a pause: it holds, and there is no page of it', async () => {
      await deployment.granted()
      const { id } = await deployment.impersonate()
      expectStatus(await deployment.account('alice', '/objection', { id }), 200)
      const [pause = expect.fail('there is none')] = (
        await deployment.permits.list({ kind: 'stop', isOpen: true })
      ).records
      spoil(pause.id)
      expectStatus(await ask('grace', `/records/${pause.id}`), 404)
      const lifted = await ask('grace', `/records/${pause.id}/lifted`, { note: 'It was agreed' })
      expectStatus(lifted, 404)
      expectStatus(await act('alice'), 503)
      expect((await act()).body.error).to.equal('approval_required')
    })

    it('of a customer’s answer: it is no, until the customer answers again', async () => {
      await deployment.permits.answer('carla', 'allow')
      const entries = await deployment.audit.entries({ limit: 50 })
      const texts = entries.map(({ text = '{}' }) => JSON.parse(text))
      spoil(texts.find(({ event }) => event === 'support.opened')?.permit)
      expect((await deployment.permits.answer('carla')).choice).to.equal('ask')
      for (const who of ['carla', 'bob']) {
        expect((await act(who)).body.error, who).to.equal('approval_required')
      }
      await deployment.permits.answer('carla', 'allow')
      expect((await deployment.permits.answer('carla')).choice).to.equal('allow')
    })

    it('of a customer: an erasure erases nothing, and says which; the export leaves it out, and says so', async () => {
      const [bad, good] = [await asked(), await asked('alice')]
      await deployment.permits.decide(bad, 'declined', { by: 'carla' })
      await deployment.permits.decide(good, 'revoked', { by: 'olivia' })
      spoil(bad)
      const count = async () =>
        (await deployment.audit.entries({ limit: 1000 })).filter(({ text }) => text).length
      const before = await count()
      const error = await rejection(deployment.console.erase('carla'))
      expect(error).to.be.instanceOf(InForceError)
      expect(error).to.deep.include({ inForce: [{ kind: 'permit', id: bad, why: 'unreadable' }] })
      expect(await count(), 'nothing is erased').to.equal(before)
      let text = ''
      const read = async (who: string) => {
        for await (const part of deployment.console.exportOf(who)) text += part
      }
      const left = await rejection(read('carla'))
      expect(String(left)).to.equal(
        `InForceError: this is left out of the export: permit ${bad} (unreadable)`,
      )
      expect(text).not.to.include(bad)
      await read('alice')
      expect(text, 'another customer').to.include(good)
    })
  })
}
