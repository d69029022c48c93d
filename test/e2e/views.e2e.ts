import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { expectAccessible } from './support/axe.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { TOURS } from './support/tours.ts'
import { NARROW, NARROWEST, visit, WIDE } from './support/visit.ts'

describe('every view', function () {
  this.timeout(60_000)
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  for (const [name, walk] of Object.entries(TOURS)) {
    it(`is accessible, fits on a narrow screen, and keeps to the policy: ${name}`, async () => {
      await using person = await visit(example.url)
      const { page, context } = person
      const objections: string[] = []
      const requests: Promise<Sent>[] = []
      context.on('request', (request) => requests.push(sent(request)))
      await walk(person, async (view) => {
        await expectAccessible(page).catch(({ message }: Error) => objections.push(message))
        for (const viewport of [NARROW, NARROWEST]) {
          await page.setViewportSize(viewport)
          objections.push(...(await misfits(page)).map((it) => `${view}: ${it}`))
        }
        await page.setViewportSize(WIDE)
        objections.push(...(await inline(page)).map((it) => `${view}: ${it}`))
        const headings = await page.locator('h1:visible').allTextContents()
        if (headings.length !== 1) objections.push(`${view}: headings ${headings.join(', ')}`)
      })
      expect(objections.join('\n\n')).to.equal('')

      const referrers = await Promise.all(requests)
      expect(referrers.filter(({ isKnown }) => isKnown)).to.have.lengthOf.at.least(5)
      for (const { url, referrer } of referrers) {
        expect(new URL(url).origin).to.equal(example.url)
        expect(referrer || undefined, `referrer of ${url}`).to.equal(undefined)
      }
    })
  }
})

/** What is wider than the screen, or sticks out of it, in words. */
function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const wrong: string[] = []
    if (scrollWidth > clientWidth) wrong.push(`the page scrolls sideways, up to ${scrollWidth}`)
    for (const element of document.querySelectorAll('button, a, input, select, textarea, h1, h2')) {
      // What scrolls by itself may hide something, and the skip link is out of the way.
      const isExcused = element.closest('.overflow-auto, .skip') !== null
      if (isExcused || !element.checkVisibility()) continue
      const { left, right } = element.getBoundingClientRect()
      const name = `${element.localName} “${element.textContent || element.id}”, ${clientWidth} wide`
      if (left < 0 || right > clientWidth) wrong.push(`${name} from ${left} to ${right}`)
      if (element instanceof HTMLButtonElement && element.scrollWidth > element.clientWidth) {
        wrong.push(`${name} is cut off`)
      }
    }
    return wrong
  })
}

/** The elements with script or style in an attribute. */
function inline(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter(({ attributes }) => [...attributes].some(({ name }) => /^on|^style$/.test(name)))
      .map(({ outerHTML }) => outerHTML),
  )
}

interface Sent {
  readonly url: string
  readonly isKnown: boolean
  readonly referrer?: string | undefined
}

/** With the headers that the browser added. A page that closes takes those of its last one along. */
async function sent(request: Request): Promise<Sent> {
  const url = request.url()
  return request.allHeaders().then(
    ({ referer }) => ({ url, isKnown: true, referrer: referer }),
    () => ({ url, isKnown: false }),
  )
}
