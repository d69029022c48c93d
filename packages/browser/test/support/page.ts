import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { DeploymentOptions } from '../../../../test/support/deployment-configuration.ts'
import { shared } from '../../../../test/support/shared.ts'
import type { AcceptImpersonationOptions } from '../../src/accept-options.ts'
import type { ImpersonationSession } from '../../src/session.ts'
import { CLIENT, type Sites, startSites } from './sites.ts'
import { type Visit, visit } from './visit.ts'

declare global {
  /** Values that the page of the tests leaves for them. */
  var session: ImpersonationSession | undefined
  var happened: string[]
  var failure: Error | undefined
}

/** The options of the page, with those of the test. Functions cannot be among them. */
export function optionsOf(
  sites: Sites,
  options: Omit<Partial<AcceptImpersonationOptions>, 'fetch'> = {},
): AcceptImpersonationOptions {
  return {
    issuer: sites.issuer,
    clientId: CLIENT,
    redirectUri: `${sites.application.url}/`,
    resource: sites.resource,
    scope: 'orders:read',
    ...options,
  }
}

/** A page that says in words what became of the impersonation. */
export function scriptOf(
  sites: Sites,
  options: Omit<Partial<AcceptImpersonationOptions>, 'fetch'> = {},
): string {
  return `
import { acceptImpersonation } from 'oidc-provider-impersonation-browser'
const options = ${JSON.stringify(optionsOf(sites, options))}
const said = document.getElementById('said')
globalThis.happened = []
const first = acceptImpersonation(options)
const address = location.href
const second = acceptImpersonation(options)
globalThis.happened.push('address ' + address, 'same ' + (first === second))
try {
  const session = await first
  globalThis.session = session
  for (const type of ['expiring', 'expired', 'ended']) {
    session?.addEventListener(type, () => globalThis.happened.push(type))
  }
  said.textContent = session ? 'acting as ' + session.userId : 'not acting'
} catch (error) {
  globalThis.failure = error
  said.textContent = (error.code ?? error.name) + ': ' + error.message
}
`
}

/** The sites for the tests of one `describe`, each of which begins with a page of {@link scriptOf}. */
export function servedSites(
  deployment: DeploymentOptions = {},
  options: Parameters<typeof scriptOf>[1] = {},
): Sites {
  const sites = shared(() => startSites(deployment))
  beforeEach(() => {
    sites.application.script = scriptOf(sites, options)
  })
  return sites
}

/** A new browser in which an operator is signed in at the provider. */
export async function operating(sites: Sites, operator?: string): Promise<Visit> {
  const person = await visit(sites)
  await sites.signIn(person.context, operator)
  return person
}

/** Returns the result that the page shows in the end. */
export async function said(page: Page): Promise<string> {
  const place = page.locator('#said:not(:empty)')
  await place.waitFor()
  return (await place.textContent()) ?? ''
}

export async function expectSaid(page: Page, told: string | RegExp, what?: string): Promise<void> {
  const text = await said(page)
  if (typeof told === 'string') expect(text, what).to.equal(told)
  else expect(text, what).to.match(told)
}

/** Expects that the first impersonation is in this state. */
export async function expectState(sites: Sites, state: string): Promise<void> {
  expect((await sites.states())[0]).to.equal(state)
}

/** Loads the page of an address also where it is the one that is open. */
export async function openAnew(page: Page, url: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(url)
}

export function endSession(page: Page): Promise<void> {
  return page.evaluate(() => session?.end())
}

export async function expectSession(page: Page, state: string): Promise<void> {
  expect(await page.evaluate(() => session?.state)).to.equal(state)
}

/** A new browser in which the operator has followed a link, and acts. */
export async function acting(
  sites: Sites,
  link: Parameters<Sites['link']> = [],
  prepare: (person: Visit) => unknown = () => {},
): Promise<Visit> {
  await using stack = new AsyncDisposableStack()
  const person = stack.use(await visit(sites))
  await prepare(person)
  await sites.signIn(person.context)
  await person.page.goto(await sites.link(...link))
  await expectSaid(person.page, 'acting as alice')
  stack.move()
  return person
}

/** Expects these events of the session, once those that are due have been told. */
export async function expectHeard(page: Page, ...events: readonly string[]): Promise<void> {
  const heard = await page.evaluate(async () => {
    await Promise.resolve()
    return globalThis.happened.filter((event) => !event.includes(' '))
  })
  expect(heard).to.deep.equal(events)
}

/** The page has left, and its last request is on its way. */
export async function untilEnded(sites: Sites): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if ((await sites.states())[0] === 'ended') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it has not ended')
}
