import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { enter, submitSignIn } from './support/enter.ts'
import { visit } from './support/visit.ts'

describe('a restart of the server', function () {
  this.timeout(90_000)

  it('is no dead end: the page says what is the matter, and goes on with what was typed', async () => {
    let deployment = await deploy()
    try {
      await using visitor = await visit(deployment.url)
      const { page } = visitor
      const link = '/console/act?user=alice&ticket=SUP-5'
      await enter(page, 'olivia', link)
      await page.getByLabel(/reason/i).fill('Typed before the restart')

      const port = Number(new URL(deployment.url).port)
      await deployment[Symbol.asyncDispose]()
      // The stream tries again and again, and so do other requests of the page.
      visitor.expectFailure(/\/console\//)
      await page.getByRole('link', { name: 'What I did' }).click()
      await page.getByText('The server does not answer right now').waitFor()

      // All sign-ins are gone: the storage of this deployment is its memory.
      deployment = await deploy({ port })
      await page.getByText('Your sign-in is over.').waitFor({ timeout: 20_000 })
      await page.goBack()
      await page.getByRole('button', { name: 'Sign in again' }).click()
      await submitSignIn(page, 'olivia')
      await page.getByRole('heading', { name: /Alice Ng/ }).waitFor()
      expect(await page.getByLabel(/reason/i).inputValue()).to.equal('Typed before the restart')
    } finally {
      await deployment[Symbol.asyncDispose]()
    }
  })

  it('while the page is loaded is told, and trying again leads in', async () => {
    const deployment = await deploy()
    const { url } = deployment
    const port = Number(new URL(url).port)
    await using visitor = await visit(url)
    const { page } = visitor
    await page.route('**/oidc/auth?*', (route) => route.abort('connectionrefused'), { times: 1 })
    // A request that is under way while the server stops fails, too, or its redirect does.
    visitor.expectFailure(/\/oidc\/auth|\/console\/callback/)
    await page.goto('/console')
    await page.getByText('The server does not answer.').waitFor()
    await deployment[Symbol.asyncDispose]()
    await using again = await deploy({ port })
    expect(again.url).to.equal(url)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })
})
