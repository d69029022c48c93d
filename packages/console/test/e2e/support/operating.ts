import type { Page } from 'playwright-core'
import type { Deployment } from '../../support/deployment.ts'
import { enter, submitSignIn } from './enter.ts'
import { type VisitOptions, visit } from './visit.ts'

/** An empty browser in front of a deployment; the application is another origin. */
export function visitDeployment({ url, shopUrl }: Deployment, options: VisitOptions = {}) {
  return visit(url, { ...options, origins: [shopUrl] })
}

/** The same, in which a person has signed in to a page. */
export async function signedIn(
  deployment: Deployment,
  who?: string,
  path?: string,
  options?: VisitOptions,
) {
  await using stack = new AsyncDisposableStack()
  const visited = stack.use(await visitDeployment(deployment, options))
  await enter(visited.page, who, path)
  stack.move()
  return visited
}

/** Names are isolated from the text around them: by characters that are not seen, nor typed here. */
const ISOLATES = '[\u2066-\u2069]*'

/**
 * A text as it is read, wherever names stand in it.
 *
 * @param how `exact`: the whole text
 */
export function reads(text: string, how?: 'exact') {
  const parts = text.split(/(?<=[\s“”:,.?])|(?=[\s“”:,.?])/)
  const within = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join(ISOLATES)
  return new RegExp(how ? `^${ISOLATES}${within}${ISOLATES}$` : within)
}

/** The heading of the page. */
export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name: reads(name, 'exact') })
}

/** The strip that every page has. */
export function strip(page: Page) {
  return page.getByRole('region', { name: 'What you run now' })
}

/** The line of *Customers* about impersonations that are over and can be continued. */
export function over(page: Page) {
  return page.getByRole('region', { name: 'You can continue' })
}

/** Starts to act by the form that is shown, and answers the tab of the application. */
export async function pressAct(page: Page, name = 'Alice Ng') {
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: reads(`Act as ${name}`) }).click()
  return await opened
}

/** Signs in at the application where it asks, until it acts. @param customer the id. @defaultValue any */
export async function actIn(tab: Page, login: string, customer = '\\S+') {
  const acting = tab.getByText(new RegExp(`^acting as ${customer}$`))
  const asked = tab.getByLabel('Login')
  await acting.or(asked).waitFor()
  if (await asked.isVisible()) await submitSignIn(tab, login)
  await acting.waitFor()
}
