import { expect } from 'chai'
import { createPermits } from 'oidc-provider-impersonation-console'
import type { Page } from 'playwright-core'
import { deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter, submitSignIn } from '../support/enter.ts'
import { reads, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

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

async function openAccount(page: Page, signIn: string): Promise<void> {
  await page.goto('/account')
  await page.getByRole('button', { name: signIn }).click()
  await submitSignIn(page, 'alice')
}

describe('an impersonation without approval is red wherever it is read', function () {
  this.timeout(120_000)

  for (const [kind, [words, told]] of Object.entries(KINDS)) {
    it(`an ${kind}`, async () => {
      const audit = memoryAudit()
      await using stack = new AsyncDisposableStack()
      const permits = stack.adopt(
        createPermits({
          audit,
          standing: {},
          approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
        }),
        (it) => it.close(),
      )
      const authorize = permits.wrap(({ scope = '' }) =>
        scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true,
      )
      const deployment = stack.use(await deploy({ audit, authorize, console: { permits } }))
      const asked = {
        customer: 'alice',
        operator: 'olivia',
        application: 'shop',
        reason: 'Fire',
        resource: `${deployment.url}/orders`,
        scope: 'orders:read orders:write',
      }
      if (kind !== 'emergency') {
        const { id } = await permits.request({ ...asked, ticket: 'SUP-1' })
        await permits.decide(id, 'declined', { by: 'grace' })
      }
      const permit = await permits.emergency({ ...asked, ticket: 'SUP-9', why: 'It cannot wait' })
      const running = await deployment.impersonate({ ticket: 'SUP-9' })
      await deployment.settled()

      const paths: Readonly<Record<string, readonly string[]>> = {
        olivia: ['/customers'],
        oscar: ['/customers/alice'],
        grace: ['', '/audit?when=any', `/audit/${running.id}`, `/records/${permit.id}`],
      }
      for (const [who, own] of Object.entries(paths)) {
        const { page } = stack.use(await visitDeployment(deployment))
        await enter(page, who)
        for (const path of own) {
          await page.goto(`/console${path}`)
          await red(page, words).waitFor()
          await expectGoodLooks(page, `${kind}-${who}${path.replaceAll(/\W+/g, '-')}`)
        }
      }
      const { page } = stack.use(await visitDeployment(deployment))
      await openAccount(page, 'Sign in')
      await red(page, words).waitFor()
      await page.getByText(reads(told)).first().waitFor()
      expect(await page.getByText('by Grace').count(), 'who refused').to.equal(0)
      await expectGoodLooks(page, `${kind}-account`)

      // The mark stays, and is red no more, when it was looked at and is over.
      await permits.decide(permit.id, 'reviewed', { by: 'grace', note: 'Saw it' })
      await permits.decide(permit.id, 'revoked', { by: 'grace' })
      const german = stack.use(await visitDeployment(deployment, { locale: 'de-DE' }))
      await openAccount(german.page, 'Anmelden')
      const past = german.page.getByRole('region', { name: 'Früher' })
      await past.locator('.badge').getByText('Ohne Freigabe').waitFor()
      const grace = stack.use(await visitDeployment(deployment))
      await enter(grace.page, 'grace', '/console/audit')
      await grace.page.locator('.badge').getByText(reads(words, 'exact')).waitFor()
      expect(await red(grace.page, words).count()).to.equal(0)
    })
  }
})
