import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, expectForgotten, message } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import { accountOf, endActing, LONG, textOf } from './support/story-steps.ts'
import { visit } from './support/visit.ts'

const END = '**/impersonations/current/end'

describe('an end that others see', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('End: a copy of the token, with a copy of its key, stops working within seconds', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await page.addInitScript(stealKeyAndToken)
    await act(page)
    expect(await page.evaluate(useWhatWasStolen, 0), 'the copy works').to.equal(200)
    await endActing(page)
    olivia.expectFailure('/orders', 401)
    expect(await page.evaluate(useWhatWasStolen, 8000), '8 s after the end').to.equal(401)
  }).timeout(LONG)

  it('the customer ends it, and the console says so at the next request, and forgets the token', async () => {
    await using olivia = await visit(example.url)
    await using alice = await visit(example.url)
    await act(olivia.page, { ticket: 'SUP-21' })

    await alice.page.goto('/account')
    await signIn(alice.page, alice.page.getByRole('button', { name: 'Sign in' }), 'alice')
    const end = alice.page.getByRole('button', { name: 'End it: Olivia Reyes (support)' })
    const running = alice.page.locator('#running article')
    expect(await textOf(running.filter({ has: end }))).to.match(
      /^Olivia Reyes \(support\) acts as you since .+, for ticket SUP-21\. What they can do: See your orders\. It ends by itself: .+ at the latest\.End it$/,
    )
    await end.click()
    await message(alice.page).getByText('End it now?').waitFor()
    await message(alice.page).getByRole('button', { name: 'No, let it go on' }).click()
    await end.click()
    await message(alice.page).getByRole('button', { name: 'Yes, end it' }).click()
    await message(alice.page).getByText('You ended it. Olivia Reyes (support) no longer').waitFor()
    expect(await running.count()).to.equal(0)
    expect((await accountOf(alice.page))[0]?.at(-1)).to.match(/^\d{1,2} s, ended by you$/)

    olivia.expectFailure('/orders', 401)
    await askUntilRefused(olivia.page)
    await message(olivia.page).getByText('The customer, alice, ended it.').waitFor()
    expect(await textOf(message(olivia.page))).to.equal(
      'You no longer act as Alice Ng. The customer, alice, ended it. The token is forgotten.',
    )
    await expectForgotten(olivia)
  }).timeout(LONG)

  it('End while the provider is down: over for the operator at once, told, and sent again', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await act(page)
    await page.route(END, (route) => route.abort('connectionrefused'))
    olivia.expectFailure('/oidc/impersonations/current/end')
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await message(page).getByText('The provider does not answer. Until it knows').waitFor()
    await expectForgotten(olivia)

    await page.unroute(END)
    await message(page).getByText('Acting as Alice Ng is over at the provider, too.').waitFor()
  }).timeout(LONG)
})

/** Asks for the orders until the end has come to the API. */
async function askUntilRefused(page: Page): Promise<void> {
  await expectEventually(async () => {
    if (await banner(page).isVisible()) {
      await page.getByRole('button', { name: 'Ask again' }).click()
      await page.waitForTimeout(250)
    }
    return !(await banner(page).isVisible())
  })
}

async function expectEventually(isSo: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 10_000
  while (!(await isSo())) expect(performance.now(), 'it is not so yet').to.be.below(until)
}

interface Stolen {
  key?: CryptoKeyPair
  token?: string
}

/** What a script in the page could do. */
function stealKeyAndToken(): void {
  const stolen: Stolen = {}
  Reflect.set(globalThis, 'stolen', stolen)
  const { generateKey } = SubtleCrypto.prototype
  SubtleCrypto.prototype.generateKey = async function steal(
    this: SubtleCrypto,
    ...args: unknown[]
  ) {
    stolen.key = await Reflect.apply(generateKey, this, args)
    return stolen.key
  } as typeof generateKey
  const { fetch } = globalThis
  globalThis.fetch = (url, init) => {
    const authorization = new Headers(init?.headers).get('authorization') ?? ''
    if (url === '/orders') stolen.token = authorization.slice('DPoP '.length)
    return fetch(url, init)
  }
}

/** Asks for the orders, with new proofs, until they are refused or the time is over. */
async function useWhatWasStolen(milliseconds: number): Promise<number> {
  const { key, token = '' }: Stolen = Reflect.get(globalThis, 'stolen')
  if (!key) throw new Error('no key was made')
  const encode = (bytes: Uint8Array) => bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
  const part = (value: object) => encode(new TextEncoder().encode(JSON.stringify(value)))
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', key.publicKey)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  const until = performance.now() + milliseconds
  for (;;) {
    const payload = {
      jti: crypto.randomUUID(),
      htm: 'GET',
      htu: new URL('/orders', location.origin).href,
      iat: Math.floor(Date.now() / 1000),
      ath: encode(new Uint8Array(digest)),
    }
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }
    const input = `${part(header)}.${part(payload)}`
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      key.privateKey,
      new TextEncoder().encode(input),
    )
    const proof = `${input}.${encode(new Uint8Array(signature))}`
    const response = await fetch('/orders', {
      headers: { authorization: `DPoP ${token}`, dpop: proof },
    })
    const { status } = response
    // The end of the visit waits for the ends of all answers.
    await response.text()
    if (status === 401 || performance.now() > until) return status
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
