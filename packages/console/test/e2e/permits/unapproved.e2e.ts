import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { deployWithPermits } from '../../support/with-permits.ts'
import { reads, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import type { VisitOptions } from '../support/visit.ts'

/** Each kind: its red words, and what the customer reads. */
const KINDS = {
  emergency: ['Without approval', 'may act as you, and nobody asked you'],
  'emergency after a refusal': [
    'Without approval, after a refusal',
    'A request of the same person was refused before.',
  ],
} as const

/** The red words, wherever they are. */
const red = (page: Page, words: string) =>
  page.locator('.badge.alarm').getByText(reads(words, 'exact')).first()

describe('an impersonation without approval is red wherever it is read', function () {
  this.timeout(120_000)

  for (const [kind, [words, told]] of Object.entries(KINDS)) {
    it(`an ${kind}`, async () => {
      await using stack = new AsyncDisposableStack()
      const deployment = stack.use(await deployWithPermits())
      const { permits } = deployment
      if (kind !== 'emergency') {
        const id = await deployment.request({ ticket: 'SUP-1' })
        await permits.decide(id, 'declined', { by: 'grace' })
      }
      const permit = await deployment.emergency({ ticket: 'SUP-9' })
      const running = await deployment.impersonate({ ticket: 'SUP-9' })
      const open = async (who: string, path?: string, options?: VisitOptions) =>
        stack.use(await signedIn(deployment, who, path, options)).page

      const paths: Readonly<Record<string, readonly string[]>> = {
        olivia: ['/customers'],
        oscar: ['/customers/alice'],
        grace: ['', '/audit?when=any', `/audit/${running.id}`, `/records/${permit.id}`],
      }
      for (const [who, own] of Object.entries(paths)) {
        const page = await open(who)
        for (const path of own) {
          await page.goto(`/console${path}`)
          await red(page, words).waitFor()
          await expectGoodLooks(page, `${kind}-${who}${path.replaceAll(/\W+/g, '-')}`)
        }
      }
      const page = await open('alice', '/account')
      await red(page, words).waitFor()
      await page.getByText(reads(told)).first().waitFor()
      expect(await page.getByText('by Grace').count(), 'who refused').to.equal(0)
      await expectGoodLooks(page, `${kind}-account`)

      // The mark stays, and is red no more, when it was looked at and is over.
      await permits.decide(permit.id, 'reviewed', { by: 'grace', note: 'Saw it' })
      await permits.decide(permit.id, 'revoked', { by: 'grace' })
      const german = await open('alice', '/account', { locale: 'de-DE' })
      const past = german.getByRole('region', { name: 'Früher' })
      await past.locator('.badge').getByText('Ohne Freigabe').waitFor()
      const grace = await open('grace', '/console/audit')
      await grace.locator('.badge').getByText(reads(words, 'exact')).waitFor()
      expect(await red(grace, words).count()).to.equal(0)
    })
  }
})
