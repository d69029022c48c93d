import { expect } from 'chai'
import { onEachKind, withStore } from '../../ledger/recording/soak-stores.ts'
import { ACT } from '../../support/acting.ts'
import { later } from '../../support/clock.ts'
import { deploy } from '../../support/deployment.ts'
import { expectStatus } from '../../support/expect-answer.ts'
import { readText } from '../../support/read-text.ts'

describe('the overview', () => {
  onEachKind.it(
    'counts for leads and auditors what happened this month, and leads to these rows',
    (kind, place) =>
      withStore(kind, place, async (audit) => {
        await using deployment = await deploy({ audit })
        const running = await deployment.impersonate()
        const ended = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
        await ended.end()
        expectStatus(
          await deployment.ask('olivia', '/impersonations', { ...ACT, userId: 'paula' }),
          403,
        )
        await deployment.account('alice', '/objection', { id: running.id })
        await deployment.settled()
        const now = new Date()
        const [from, to] = [0, 1].map((after) =>
          Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + after),
        )
        for (const person of ['grace', 'ada']) {
          const { status, body } = await deployment.ask(person, '')
          expect(status).to.equal(200)
          expect(body.month).to.deep.equal({
            from,
            to,
            impersonations: { count: 3, more: false },
            unapproved: { count: 0, more: false },
            objections: { count: 1, more: false },
          })
          const page = await deployment.browse(person, '')
          expect(readText(page.text)).to.contain(
            '3 impersonations , 0 without approval , 1 objection',
          )
          const range = `?from=${from}&to=${to}`
          const links = page.text.matchAll(/\/console(\/[a-z]+\?from[^"]+)"/g)
          const found = [...links].map(([, link = '']) => link.replaceAll('&amp;', '&'))
          expect(found).to.eql([
            `/audit${range}`,
            `/records${range}&kind=emergency`,
            `/audit${range}&alarm=objection`,
          ])
          expect((await deployment.read(person, found[2] ?? '')).rows).to.have.length(1)
        }
        expect(await deployment.read('olivia', ''))
          .to.include.keys('recents')
          .and.not.have.property('month')
        await later(40 * 86_400_000, async () => {
          const { accessToken: token } = await deployment.signIn('grace')
          const body = await deployment.read({ token }, '')
          expect(body.month.impersonations.count, 'next month').to.equal(0)
        })
      }),
  )
})
