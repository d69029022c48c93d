import '../../packages/console/test/e2e/support/disposal.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { startExampleHere } from './support/server.ts'
import { openShop, signInAtProvider } from './support/shop.ts'

/** Just longer ago than the stricter rules allow. */
const LONG_AGO = 3_700_000

describe('the stricter rules, in the shop', () => {
  it('an operator who signed in too long ago does not act, and is told to start again', async () => {
    await using example = await startExampleHere({ STRICT: '1' })
    await using stack = new AsyncDisposableStack()
    const context = stack.adopt(
      await (await browser()).newContext({ baseURL: example.url }),
      (it) => it.close(),
    )
    context.setDefaultTimeout(24_000)
    await signInAtProvider(context, example)
    const acting = await openShop(context, example)
    await acting.getByRole('heading', { name: 'Orders' }).waitFor()
    await acting.getByRole('button', { name: 'End' }).click()
    await acting.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()

    example.moveClock(LONG_AGO)
    // The provider knows her still: a token that is new, of a sign-in that is not.
    const shop = await openShop(context, example)
    await shop.getByRole('heading', { name: 'You do not act as a customer' }).waitFor()
    await shop.getByRole('link', { name: 'support console' }).waitFor()
  })
})
