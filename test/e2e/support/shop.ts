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
  /** In seconds. */
  readonly duration?: number
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

/** A link that opens the shop as a customer, as a console or another back office makes it. */
export async function linkTo(
  example: SharedExample,
  { userId = 'alice', operator = 'olivia', mayChange = true, duration }: Purpose = {},
): Promise<string> {
  const request = {
    userId,
    reason: 'Order lost in the post',
    ticketId: 'SUP-123',
    scope: mayChange ? 'orders:read orders:write' : 'orders:read',
    application: 'shop',
    duration,
  }
  const token = await accessTokenOf(example.url, operator)
  const { status, body } = await postJson(`${example.url}/support/impersonations`, request, token)
  equal(status, 201)
  return impersonationUrl(example.shopUrl, {
    subjectToken: String(body.subjectToken),
    actor: operator,
    expiresAtMs: Date.now() + Number(body.expiresIn) * 1000,
  })
}

/** Opens the shop as a customer, in a tab of its own, without waiting for the orders. */
export async function openShop(
  context: BrowserContext,
  example: SharedExample,
  purpose?: Purpose,
): Promise<Page> {
  const page = await context.newPage()
  await page.goto(await linkTo(example, purpose))
  return page
}
