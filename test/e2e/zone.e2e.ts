import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { act } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

/** The visits of the other tests are to Berlin. */
const timezoneId = 'Asia/Kathmandu'

describe('times', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('are those of the reader, in the token, the audit and the account', async () => {
    await using person = await visit(example.url, { timezoneId })
    const { page } = person
    await act(page)
    await page.getByRole('link', { name: 'Look inside' }).click()
    const expires = page.getByRole('row', { name: 'exp' }).getByRole('cell').first()
    const [seconds, shown] = split(await expires.textContent())
    expect(shown).to.match(inWords(Number(seconds) * 1000, timezoneId))

    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText(/^\d+ entries/).waitFor()
    await expectTime(page.locator('#audit-entries time').first(), timezoneId)

    await person.context.clearCookies()
    await page.goto('/account')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'alice')
    await expectTime(page.locator('#entries time').first(), timezoneId)
  })
})

/** Its `datetime` is the moment, whatever the zone, and its text is for people. */
async function expectTime(time: Locator, timezoneId: string): Promise<void> {
  const moment = (await time.getAttribute('datetime')) ?? ''
  expect(moment).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(Math.abs(Date.now() - Date.parse(moment))).to.be.below(120_000)
  expect(await time.textContent()).to.match(inWords(Date.parse(moment), timezoneId))
}

/** As British readers write it, day first and without a.m.: `21 Nov 2026, 09:41:00`. */
function inWords(milliseconds: number, timeZone: string): RegExp {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(milliseconds)
  const part = (type: string) => parts.find((it) => it.type === type)?.value
  const time = `${part('hour')}:${part('minute')}:${part('second')}`
  return new RegExp(`^${part('day')} ${part('month')} ${part('year')}, ${time}$`)
}

function split(text: string | null): string[] {
  const [first = '', ...rest] = (text ?? '').split(', ')
  return [first, rest.join(', ')]
}
