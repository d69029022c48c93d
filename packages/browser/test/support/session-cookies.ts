import type { BrowserContext } from 'playwright-core'
import type { Deployment } from '../../../../test/support/deployment.ts'
import { signIn } from '../../../../test/support/sign-in.ts'

/** Signs an operator in at the provider, in this browser. */
export async function addSession(
  context: BrowserContext,
  deployment: Deployment,
  operator = 'olivia',
): Promise<void> {
  const { cookie } = await signIn(deployment, operator)
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? []
      return { name, value, url: deployment.base, httpOnly: true, sameSite: 'Lax' }
    }),
  )
}
