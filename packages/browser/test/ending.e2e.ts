import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  acting,
  endSession,
  expectHeard,
  expectSaid,
  expectSession,
  expectState,
  operating,
  scriptOf,
  servedSites,
  untilEnded,
} from './support/page.ts'

const END = '/oidc/impersonations/current/end'

describe('the end of an impersonation in a page', () => {
  const sites = servedSites()

  /** The requests for an end that the page sends from now on. */
  function countEnds(page: Page): { count: number } {
    const ends = { count: 0 }
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith(END)) ends.count += 1
    })
    return ends
  }

  async function expectOver(page: Page, code: string): Promise<void> {
    const after = await page.evaluate(async (url) => {
      const refusal = await session?.fetch(url).catch((error: unknown) => error)
      return { state: session?.state, token: session?.accessToken, ...(refusal as object) }
    }, sites.resource)
    expect(after).to.deep.include({ state: code, token: '', code })
  }

  async function refuse(page: Page, headers: Record<string, string>): Promise<void> {
    await page.route(`${sites.resource}*`, (route) =>
      route.fulfill({ status: 401, headers: exposed(headers) }),
    )
  }

  it('comes by end(), at the provider, and is asked for and told once', async () => {
    await using person = await acting(sites)
    const { page } = person
    const ends = countEnds(page)
    await page.evaluate(async () => {
      await Promise.all([session?.end(), session?.end()])
      await session?.end()
    })
    await expectOver(page, 'ended')
    await expectState(sites, 'ended')
    expect(ends.count).to.equal(1)
    await expectHeard(page, 'ended')
  })

  for (const [how, headers] of [
    ['that says so', { 'www-authenticate': 'Bearer error="invalid_token"' }],
    ['whose reason the page cannot read', {}],
  ] as const) {
    it(`that came elsewhere is known with the first refusal of the API ${how}`, async () => {
      await using person = await acting(sites)
      const { page } = person
      const ends = countEnds(page)
      await refuse(page, headers)
      person.expectFailure('/orders', 401)
      const statuses = await page.evaluate(async (url) => {
        const answers = await Promise.all([session?.fetch(url), session?.fetch(url)])
        return answers.map((answer) => answer?.status)
      }, sites.resource)
      expect(statuses).to.deep.equal([401, 401])
      await expectHeard(page, 'ended')
      // The provider is told as well, once: the API may be wrong.
      await untilEnded(sites)
      await endSession(page)
      expect(ends.count).to.equal(1)
    })
  }

  it('does not come with a 401 that asks for something else', async () => {
    await using person = await acting(sites)
    const { page } = person
    person.expectFailure('/orders', 401)
    for (const challenge of [
      'Bearer error="insufficient_user_authentication"',
      'Basic realm="x"',
    ]) {
      await refuse(page, { 'www-authenticate': challenge })
      await page.evaluate((url) => session?.fetch(url), sites.resource)
    }
    await expectHeard(page)
    await expectState(sites, 'active')
  })

  it('has to be asked for again where the provider cannot be reached, fails, or refuses the proof', async () => {
    await using person = await acting(sites)
    const { page } = person
    const proof = exposed({ 'www-authenticate': 'DPoP error="invalid_dpop_proof"' })
    for (const answer of [
      undefined,
      { status: 500, headers: exposed({}) },
      { status: 401, headers: proof },
    ]) {
      await page.route(`**${END}`, (route) => (answer ? route.fulfill(answer) : route.abort()))
      person.expectFailure(END, answer?.status)
      const code = await page.evaluate(() =>
        session?.end().catch((error: Error & { code?: string }) => error.code),
      )
      expect(code).to.equal('unreachable')
      await expectSession(page, 'active')
      await page.unroute(`**${END}`)
    }
    await endSession(page)
    await expectState(sites, 'ended')
  })

  for (const [how, leave] of [
    ['another page is opened', (page: Page) => page.goto('about:blank')],
    ['it is loaded again', (page: Page) => page.reload()],
    ['it is closed', (page: Page) => page.close()],
  ] as const) {
    it(`comes when the page is left: ${how}`, async () => {
      // In one second, the newest is not told from the one before.
      const all = async () => (await sites.provider.impersonation.list()).items
      const known = new Set((await all()).map(({ id }) => id))
      await using person = await acting(sites)
      const { page } = person
      await person.context.newPage()
      await leave(page)
      const own = async () => (await all()).find(({ id }) => !known.has(id))
      while ((await own())?.state !== 'ended') await untilEnded(sites)
      const ended = await own()
      const by = { sub: 'olivia' }
      expect(ended?.end).to.deep.include({ cause: 'requested', by, reason: 'left' })
    })
  }

  it('does not come so where the application says endOnLeave: false', async () => {
    sites.application.script = scriptOf(sites, { endOnLeave: false })
    await using person = await acting(sites)
    const { page } = person
    await page.reload()
    await expectSaid(page, 'not acting')
    await expectState(sites, 'active')
  })

  it('is announced a minute before the token expires, and then told', async () => {
    await using person = await acting(sites, [], ({ context }) => context.clock.install())
    const { page } = person
    // The clock of the page goes on by itself, too: some seconds have passed on a busy machine.
    await page.clock.runFor(825_000)
    await expectHeard(page)
    // A clock that is set back prolongs nothing.
    await page.clock.setSystemTime(Date.now() - 3_600_000)
    await expectSession(page, 'active')
    await page.clock.runFor(15_000)
    await expectHeard(page, 'expiring')
    await page.clock.runFor(60_000)
    await expectHeard(page, 'expiring', 'expired')
    await expectOver(page, 'expired')
  })

  it('comes at once in a machine that slept, and is no request: the token has expired', async () => {
    await using person = await acting(sites, [], ({ context }) => context.clock.install())
    const { page } = person
    const ends = countEnds(page)
    // No timer has run.
    await page.clock.setSystemTime(Date.now() + 1_000_000)
    await expectSession(page, 'expired')
    await endSession(page)
    await expectHeard(page, 'expired')
    expect(ends.count).to.equal(0)
  })

  it('comes no later where the provider was slow: the time counts from before the token was asked for', async () => {
    await using person = await operating(sites)
    const { page } = person
    let askedAt = 0
    await page.route('**/oidc/token', async (route) => {
      if (!String(route.request().postData()).includes('subject_token')) return route.continue()
      askedAt = Date.now()
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await route.continue()
    })
    await page.goto(await sites.link())
    await expectSaid(page, 'acting as alice')
    const expiresAt = await page.evaluate(() => session?.expiresAtMs ?? 0)
    expect(expiresAt - askedAt).to.be.at.most(900_000)
  })
})

/** Adds the headers that let a page of another origin read the answer. */
function exposed(headers: Record<string, string>): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'www-authenticate',
    ...headers,
  }
}
