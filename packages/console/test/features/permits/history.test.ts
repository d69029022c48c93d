import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import type { Permits } from 'oidc-provider-impersonation-console'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { permitsWith } from '../../../src/features/permits/server/permits.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { csvRecords } from '../../support/csv.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`the history of approvals: ${kind}`, () => {
    let permits: Permits
    let deployment: Deployment
    let dispose: (() => Promise<void>) | undefined
    /** The ids of what happened, by a name. */
    let ids: Readonly<Record<string, string>>
    let began: number

    before(async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      const storage = await newPlace(kind)
      const { store: audit, close } = await storeAt(kind, storage.place)
      let ahead = 0
      const approvers = () => [
        { id: 'grace', name: 'Grace Lindqvist' },
        { id: 'oscar', name: 'Oscar Öhman' },
      ]
      permits = permitsWith({ audit, approvers, timeout: 30 }, () => Date.now() + ahead)
      deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
      dispose = async () => {
        await deployment[Symbol.asyncDispose]()
        await close()
        await storage[Symbol.asyncDispose]()
      }
      const facts = {
        ...{ customer: 'alice', operator: 'olivia', application: 'shop', reason: 'Łódź parcel' },
        ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
      }
      began = Date.now()
      const step = () => {
        ahead += 1000
      }
      const refused = await permits.request({ ...facts, ticket: 'SUP-1' })
      step()
      await permits.decide(refused.id, 'declined', { by: 'grace', note: 'Call them first' })
      step()
      const { id: emergency } = await permits.emergency({
        ...facts,
        ticket: 'SUP-2',
        why: 'It cannot wait',
      })
      step()
      await permits.decide(emergency, 'reviewed', { by: 'grace', note: 'Was wrong' })
      const granted = await permits.request({ ...facts, customer: 'bob', ticket: 'SUP-3' })
      step()
      await permits.decide(granted.id, 'granted', { by: 'oscar' })
      const carla = await permits.request({ ...facts, customer: 'carla', ticket: 'SUP-4' })
      await permits.decide(carla.id, 'revoked', { by: 'olivia' })
      ahead += 86_400_000
      const waiting = await permits.request({ ...facts, customer: 'carla', ticket: 'SUP-5' })
      ids = {
        ...{ refused: refused.id, emergency, granted: granted.id },
        ...{ revoked: carla.id, waiting: waiting.id },
      }
    })
    after(() => dispose?.())

    async function named(who: string, query = ''): Promise<readonly string[]> {
      const { status, body } = await deployment.ask(who, `/approvals/history${query}`)
      expect(status, query + JSON.stringify(body)).to.equal(200)
      const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
      return body.permits.map(({ id }: { id: string }) => names.get(id))
    }

    it('has all that there was, the newest first, with who decided and with which note', async () => {
      const all = ['waiting', 'revoked', 'granted', 'emergency', 'refused']
      for (const who of ['grace', 'ada', 'olivia']) {
        expect(await named(who), who).to.have.members(all)
      }
      expect((await named('ada')).toSpliced(1, 2)).to.deep.equal([
        'waiting',
        'emergency',
        'refused',
      ])
      const { permits: found } = (await deployment.ask('ada', '/approvals/history?state=declined'))
        .body
      expect(found[0].said[0]).to.deep.include({ event: 'declined', note: 'Call them first' })
      expect(found[0].said[0].by.id).to.equal('grace')
      expect(found[0]).to.not.have.property('may')
    })

    it('an operator sees what they asked for and what they decided, and no more', async () => {
      expect(await named('oscar')).to.deep.equal(['granted'])
      expect(await named('oscar', '?person=olivia')).to.deep.equal([])
    })

    it('is found by who, state, time, customer, ticket and words, alone and together', async () => {
      for (const [query, expected] of [
        ['?state=emergency', ['emergency']],
        ['?state=revoked', ['revoked']],
        ['?state=requested', ['waiting']],
        ['?state=lapsed', []],
        ['?state=over', ['granted', 'emergency']],
        ['?state=granted', []],
        ['?customer=bob', ['granted']],
        ['?operator=oscar', []],
        ['?person=grace', ['emergency', 'refused']],
        ['?person=grace&state=emergency', ['emergency']],
        ['?ticket=sup%20-%201', ['refused']],
        ['?text=call%20first', ['refused']],
        ['?text=lodz%20oscar', ['granted']],
        ['?text=lindq', ['emergency', 'refused']],
        ['?text=nothing', []],
        [`?to=${began}`, []],
        [`?from=${began + 80_000_000}`, ['waiting']],
      ] as const) {
        expect(await named('ada', query), query).to.deep.equal(expected)
      }
      for (const query of ['?state=won', '?from=x', '?nothing=1', '?before=junk']) {
        const { status } = await deployment.ask('ada', `/approvals/history${query}`)
        expect(status, query).to.equal(400)
      }
    })

    it('is exported with the same filter, which is an entry of the audit, for leads and auditors', async () => {
      const csv = (await deployment.ask('ada', '/approvals/history.csv?state=declined')).text
      const [record = {}, ...rest] = csvRecords(csv)
      expect(rest).to.deep.equal([])
      expect(record).to.include({
        second_person: 'declined',
        second_person_decided_by: 'grace',
        second_person_decided_note: 'Call them first',
      })
      expect((await deployment.ask('olivia', '/approvals/history.csv')).status).to.equal(403)
      await deployment.settled()
      const stored = await deployment.audit.entries({ limit: 500 })
      const exports = stored.filter((entry) => entry.text?.includes('support.exported'))
      expect(exports.map((entry) => JSON.parse(entry.text ?? '').context.format)).to.deep.equal([
        'approvals.csv',
      ])
    })

    it('goes on by pages, and looks at so many at most for each', async () => {
      const seen: string[] = []
      let before = ''
      do {
        const { body } = await deployment.ask('ada', `/approvals/history?${before}`)
        seen.push(...body.permits.map(({ id }: { id: string }) => id))
        before = body.next === undefined ? '' : `before=${encodeURIComponent(body.next)}`
      } while (before !== '')
      expect(seen).to.have.length(5)
    })
  })
}
