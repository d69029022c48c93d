import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter } from './support/enter.ts'
import { visit } from './support/visit.ts'

describe('signing out of the console', function () {
  this.timeout(60_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('ends what runs, signs out all tabs, and goes to the sign-out of the provider', async () => {
    await using visitor = await visit(deployment.url)
    const { page, context } = visitor
    await enter(page, 'olivia')
    const other = await context.newPage()
    await enter(other, 'olivia', '/console/customers')
    const running = await deployment.impersonate()
    const ofOthers = await deployment.impersonate({ operator: 'oscar', customer: 'bob' })
    expect(await running.look()).to.equal(200)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    const { body } = await deployment.ask('grace', '')
    const ids = body.running.map(({ id }: { id: string }) => id)
    expect(ids, 'what others run goes on').to.eql([ofOthers.id])

    await other.getByText('You signed out in another tab.').waitFor()
    expect(await other.getByText('Olivia Okafor').count(), 'no data stays').to.equal(0)
    expect(new URL(other.url()).pathname).to.equal('/console/customers')
    // No session is left at the provider either.
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  it('says so where what runs cannot be ended, and leaves the choice', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia')
    await page.route('**/api/running/end', (route) => route.abort('connectionrefused'))
    visitor.expectFailure('/console/running/end')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are not signed out').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    await page.getByRole('button', { name: 'Sign out anyway' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).waitFor()
  })

  it('needs nothing to end for an auditor', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'ada')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).waitFor()
  })

  it('leaves nothing that the person typed in the browser', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-79')
    await page.getByLabel(/reason/i).fill('A secret of Olivia')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /yes, sign me out/i }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.to.contain(
      'secret',
    )
  })
})
