import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { csvRecords } from '../../support/csv.ts'
import { expectStatus, idsOf } from '../../support/expect-answer.ts'
import { deployWithPermits, type PermitsDeployment, RULE } from '../../support/with-permits.ts'

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`the history of approvals: ${kind}`, () => {
    let deployment: PermitsDeployment
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
      deployment = await deployWithPermits(RULE, {
        audit,
        now: () => Date.now() + ahead,
        permits: { approvers, timeout: 30 },
      })
      dispose = async () => {
        await deployment[Symbol.asyncDispose]()
        await close()
        await storage[Symbol.asyncDispose]()
      }
      const { permits } = deployment
      const reason = 'Łódź parcel'
      const request = (ticket: string, more: object = {}) =>
        deployment.request({ ticket, reason, ...more })
      began = Date.now()
      const step = () => {
        ahead += 1000
      }
      const refused = await request('SUP-1')
      step()
      await permits.decide(refused, 'declined', { by: 'grace', note: 'Call them first' })
      step()
      const { id: emergency } = await deployment.emergency({ ticket: 'SUP-2', reason })
      step()
      await permits.decide(emergency, 'reviewed', { by: 'grace', note: 'Was wrong' })
      const granted = await request('SUP-3', { customer: 'dara.quist' })
      step()
      await permits.decide(granted, 'granted', { by: 'oscar' })
      const revoked = await request('SUP-4', { customer: 'carla' })
      await permits.decide(revoked, 'revoked', { by: 'olivia' })
      const back = await request('SUP-6', { operator: 'oscar' })
      await permits.decide(back, 'granted', { by: 'grace' })
      step()
      await permits.decide(back, 'revoked', { by: 'oscar' })
      ahead += 86_400_000
      const waiting = await request('SUP-5', { customer: 'carla' })
      ids = { refused, emergency, granted, revoked, waiting, 'taken back': back }
    })
    after(() => dispose?.())

    async function named(who: string, query = '') {
      const { status, body } = await deployment.ask(who, `/records${query}`)
      expect(status, query + JSON.stringify(body)).to.equal(200)
      const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
      return body.records.map(({ id }: { id: string }) => names.get(id))
    }

    it('has all that there was, the newest first, with who decided and with which note', async () => {
      const all = ['waiting', 'taken back', 'revoked', 'granted', 'emergency', 'refused']
      for (const who of ['grace', 'ada']) {
        expect(await named(who), who).to.have.members(all)
      }
      expect((await named('ada')).toSpliced(1, 3)).to.deep.equal([
        'waiting',
        'emergency',
        'refused',
      ])
      const { records: found } = await deployment.read('ada', '/records?state=declined')
      expect(found[0].said[0]).to.deep.include({ event: 'declined', note: 'Call them first' })
      expect(found[0].said[0].by.id).to.equal('grace')
    })

    it('an operator sees what they asked for and what they decided, and no more', async () => {
      expect(await named('oscar')).to.deep.equal(['taken back', 'granted'])
      expect(await named('oscar', '?person=olivia')).to.deep.equal(['granted'])
    })

    it('is found by who, state, time, customer, ticket and words, alone and together', async () => {
      for (const [query, expected] of [
        ['?kind=emergency', ['emergency']],
        ['?state=revoked', ['taken back', 'revoked']],
        ['?state=waiting', ['waiting']],
        ['?state=lapsed', []],
        // A record is found under the decision of a person, whatever became of it since.
        ['?state=granted', ['taken back', 'granted']],
        ['?state=granted&person=oscar', ['granted']],
        ['?state=reviewed', ['emergency']],
        ['?state=in_force', ['granted', 'emergency']],
        ['?customer=dara.quist', ['granted']],
        ['?operator=oscar', ['taken back']],
        ['?person=grace', ['taken back', 'emergency', 'refused']],
        ['?person=grace&kind=emergency', ['emergency']],
        ['?ticket=sup%20-%201', ['refused']],
        ['?text=call%20first', ['refused']],
        ['?text=lodz%20oscar', ['taken back', 'granted']],
        ['?text=lindq', ['taken back', 'emergency', 'refused']],
        ['?text=nothing', []],
        [`?to=${began}`, []],
        [`?from=${began + 80_000_000}`, ['waiting']],
      ] as const) {
        expect(await named('ada', query), query).to.deep.equal(expected)
      }
      for (const query of ['?state=won', '?from=x', '?nothing=1', '?before=junk']) {
        expectStatus(await deployment.ask('ada', `/records${query}`), 400, query)
      }
    })

    it('is exported with the same filter, which is an entry of the audit, for leads and auditors', async () => {
      const csv = (await deployment.ask('ada', '/records/export.csv?state=declined')).text
      const [record = {}, ...rest] = csvRecords(csv)
      expect(rest).to.deep.equal([])
      expect(record).to.include({
        state: 'declined',
        declined_by_id: 'grace',
        declined_note: 'Call them first',
        operator_name: 'Olivia Okafor',
      })
      expectStatus(await deployment.ask('olivia', '/records/export.csv'), 403)
      const stored = await deployment.audit.entries({ limit: 500 })
      const exports = stored.filter((entry) => entry.text?.includes('support.exported'))
      expect(exports.map((entry) => JSON.parse(entry.text ?? '').context.format)).to.deep.equal([
        'records.csv',
      ])
    })

    it('goes on by pages, and looks at so many at most for each', async () => {
      const seen: string[] = []
      let before = ''
      do {
        const body = await deployment.read('ada', `/records?${before}`)
        seen.push(...idsOf(body.records))
        before = body.next === undefined ? '' : `before=${encodeURIComponent(body.next)}`
      } while (before !== '')
      expect(seen).to.have.length(6)
    })
  })
}
