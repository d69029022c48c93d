import { equal } from 'node:assert/strict'
import { impersonationUrl } from 'oidc-provider-impersonation-browser'
import type { BrowserContext, Page } from 'playwright-core'
import { authorizationUrl } from '../../../example-provider/demo/commands.ts'
import { signIn as accessTokenOf, postJson } from '../../example-provider/support.ts'
import type { SharedExample } from './server.ts'
import { submitSignIn } from './sign-in.ts'

export interface Purpose {
  /** @defaultValue `'alice'` */
  readonly userId?: string
  /** @defaultValue `'olivia'` */
  readonly operator?: string
  /** @defaultValue `true` */
  readonly mayChange?: boolean
}

/** Signs a person in at the provider, in this browser. */
export async function signInAtProvider(
  context: BrowserContext,
  example: SharedExample,
  login = 'olivia',
): Promise<void> {
  const page = await context.newPage()
  await page.goto(authorizationUrl(example.url))
  await submitSignIn(page, login, 'demo-password')
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  await page.close()
}

/** Opens the shop as a customer, in a tab of its own, without waiting for the orders. */
export async function openShop(
  context: BrowserContext,
  example: SharedExample,
  { userId = 'alice', operator = 'olivia', mayChange = true }: Purpose = {},
): Promise<Page> {
  const request = {
    userId,
    reason: 'Order lost in the post',
    ticketId: 'SUP-123',
    scope: mayChange ? 'orders:read orders:write' : 'orders:read',
    application: 'shop',
  }
  const token = await accessTokenOf(example.url, operator)
  const { status, body } = await postJson(`${example.url}/support/impersonations`, request, token)
  equal(status, 201)
  // As a console or another back office makes it.
  const link = impersonationUrl(example.shopUrl, {
    subjectToken: String(body.subjectToken),
    actor: operator,
    expiresAtMs: Date.now() + Number(body.expiresIn) * 1000,
  })
  const page = await context.newPage()
  await page.goto(link)
  return page
}
