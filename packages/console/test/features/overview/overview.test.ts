import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { ACT } from '../../support/acting.ts'
import { deploy } from '../../support/deployment.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`GET /overview: ${kind}`, function () {
    this.timeout(30_000)

    it('counts for leads and auditors what happened in a time, and for operators nothing', async function () {
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
        await fetch(`${deployment.url}/account/objection`, {
          method: 'POST',
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ id: running.id }),
        })
        await deployment.settled()
        const range = `from=${Date.now() - 3_600_000}&to=${Date.now() + 3_600_000}`
        for (const person of ['grace', 'ada']) {
          const { status, body } = await deployment.ask(person, `/overview?${range}`)
          expect(status).to.equal(200)
          expect(body).to.deep.equal({
            impersonations: { count: 3, more: false },
            unapproved: { count: 0, more: false },
            objections: { count: 1, more: false },
          })
        }
        const before = await deployment.ask('grace', '/overview?from=0&to=1000')
        expect(before.body.impersonations.count).to.equal(0)
        expect((await deployment.ask('olivia', `/overview?${range}`)).status).to.equal(403)
        expect((await deployment.ask('grace', '/overview')).status).to.equal(400)
      } finally {
        await close()
      }
    })
  })
}
