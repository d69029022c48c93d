import { expect } from 'chai'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter, submitSignIn } from './support/enter.ts'
import { visitDeployment } from './support/operating.ts'
import { visit } from './support/visit.ts'

const home = (page: { url(): string }) => page.url().replace(/^https?:\/\/[^/]+/, '')

describe('signing in to the console', function () {
  this.timeout(60_000)
  let deployment: Deployment
  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('leads from the first page to the search, and leaves nothing in the address', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    await enter(page, 'olivia')
    await page.getByRole('searchbox').waitFor()
    expect(home(page)).to.equal('/console')
    await page.getByText('Olivia Okafor').first().waitFor()
    await visitor.tokens.expectNowhere(deployment.log.join('\n'))
  })

  it('says so where the provider is not at its issuer', async () => {
    await using visitor = await visitDeployment(deployment)
    const { page } = visitor
    visitor.expectFailure(/\/auth\?/)
    await page.route(/\/auth\?/, (route) => route.fulfill({ status: 404, body: 'Not Found' }))
    await page.goto('/console')
    await page.getByText('The provider is not where its issuer says').waitFor()
  })

  it('leads from a deep link to the sign-in at once, and back to the very address', async () => {
    await using visitor = await visit(deployment.url)
    const { page } = visitor
    const link = '/console/act?user=alice&ticket=SUP%20%26%2042'
    await page.goto(link)
    await submitSignIn(page, 'olivia')
    await page.getByRole('heading', { name: /Alice Ng/ }).waitFor()
    expect(home(page)).to.equal(link)
    await page.reload()
    await page.getByRole('heading', { name: /Alice Ng/ }).waitFor()
    expect(home(page), 'after a reload').to.equal(link)
  })

  it('I6: sends no cookie to the API, and a token only to the API', async () => {
    await using visitor = await visit(deployment.url)
    const { page, context } = visitor
    const wrong: string[] = []
    let asked = 0
    context.on('request', async (request) => {
      const { pathname } = new URL(request.url())
      const headers = await request.allHeaders()
      if (pathname.startsWith('/console/')) {
        asked += 1
        if (headers.cookie !== undefined) wrong.push(`a cookie to ${pathname}`)
        if (!headers.authorization?.startsWith('Bearer ')) wrong.push(`no token to ${pathname}`)
      } else if (headers.authorization !== undefined) wrong.push(`a token to ${pathname}`)
    })
    await enter(page, 'olivia')
    await page.getByRole('searchbox').fill('alice')
    await page.getByText('Alice Ng').first().waitFor()
    expect(asked).to.be.greaterThan(1)
    expect(wrong).to.eql([])
  })
})
