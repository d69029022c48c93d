import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { impersonationUrl } from '../../../packages/browser/src/link.ts'
import { scriptOf } from '../../../packages/browser/test/support/page.ts'
import { type Sites, startSites } from '../../../packages/browser/test/support/sites.ts'
import type { EndOptions } from '../../../src/index.ts'
import { inEachBrowser } from './support/browsers.ts'
import { type Person, sitDown } from './support/person.ts'

/** Ends of each kind in each browser: `ENDS=50` for a measurement. */
const ENDS = Number(process.env.ENDS ?? 5)
/** Operators at a time. */
const OPERATORS = 8
/** From the end at the provider until the customer's data is out of sight. */
const PROMISED_S = 8

inEachBrowser('an end from elsewhere', (browser) => {
  let sites: Sites

  before(async () => {
    sites = await startSites()
    sites.application.script = scriptOf(sites)
  })
  after(() => sites?.[Symbol.asyncDispose]())

  const ends: Record<string, [how: EndOptions, says: string]> = {
    'the customer': [{ by: { sub: 'alice' }, cause: 'user' }, 'The customer ended it.'],
    'a lead': [{ by: { sub: 'lea' } }, 'Another person ended it.'],
  }

  it(`covers the page within 8 s, and the page says who ended it, ${ENDS} times`, async function () {
    this.timeout(60_000 + ENDS * 20_000)
    const seconds = new Map(Object.keys(ends).map((by) => [by, [] as number[]]))
    const due = Array.from({ length: ENDS }, () => Object.entries(ends)).flat()
    const operate = async () => {
      await using person = await sitDown(browser)
      for (let next = due.pop(); next; next = due.pop()) {
        const [by, how] = next
        seconds.get(by)?.push(await cover(person, ...how))
      }
    }
    await Promise.all(Array.from({ length: Math.min(OPERATORS, due.length) }, operate))
    for (const [by, each] of seconds) {
      each.sort((a, b) => a - b)
      const words = `${browser.name}, by ${by}: median ${each[ENDS >> 1]} s, at most ${each.at(-1)} s`
      if (process.env.ENDS) console.log(`      ${words}`)
      expect(each, by).to.have.length(ENDS)
      expect(each.at(-1), words).to.be.at.most(PROMISED_S)
    }
  })

  /** The seconds from the end until the page is covered. */
  async function cover(person: Person, how: EndOptions, says: string): Promise<number> {
    await person.tab.goto(sites.signInUrl())
    const { subjectToken } = await sites.issue()
    // A change of the fragment alone loads nothing.
    await person.tab.goto('about:blank')
    await person.tab.goto(impersonationUrl(`${sites.application.url}/`, { subjectToken }))
    await person.sees('acting as alice')
    const ended = Date.now()
    await sites.provider.impersonation.end(idOf(subjectToken), how)
    await person.sees(says)
    const seconds = Math.round((Date.now() - ended) / 100) / 10
    expect(await person.text()).to.not.include('acting as')
    return seconds
  }
})

function idOf(subjectToken: string): string {
  return createHash('sha256').update(subjectToken).digest('base64url')
}
