import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { ACT } from '../../support/acting.ts'
import { deploy } from '../../support/deployment.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`GET /overview: ${kind}`, function () {
    this.timeout(30_000)

    it('tells leads and auditors what happened today, and operators nothing', async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { store, close } = await storeAt(kind, storage.place)
      try {
        await using deployment = await deploy({ audit: store })
        const running = await deployment.impersonate()
        const ended = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
        await ended.end()
        expect(
          (await deployment.ask('olivia', '/impersonations', { ...ACT, userId: 'paula' })).status,
        ).to.equal(403)
        const { accessToken } = await deployment.signIn('alice', { clientId: 'customer-account' })
        await fetch(`${deployment.url}/account/api/objection`, {
          method: 'POST',
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ id: running.id }),
        })
        await deployment.settled()
        for (const person of ['grace', 'ada']) {
          const { status, body } = await deployment.ask(person, '/overview')
          expect(status).to.equal(200)
          expect(body.days).to.have.length(30)
          // The objection ended what ran.
          const { day: _, ...today } = body.days.at(-1)
          expect(today).to.deep.equal({
            ...{ starts: { requested: 1, user: 1 }, unapproved: 0, refused: 1, objected: 1 },
          })
        }
        expect((await deployment.ask('olivia', '/overview')).status).to.equal(403)
        expect((await deployment.ask('grace', '/overview?days=365')).status).to.equal(400)
      } finally {
        await close()
      }
    })
  })
}
