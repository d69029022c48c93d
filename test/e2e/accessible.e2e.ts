import { expect } from 'chai'
import { expectAccessible } from './support/axe.ts'
import { launchExample } from './support/server.ts'
import { TOURS } from './support/tours.ts'
import { visit } from './support/visit.ts'

describe('every view', function () {
  this.timeout(60_000)

  for (const [name, walk] of Object.entries(TOURS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is accessible: ${name}, ${colorScheme}`, async () => {
        await using example = await launchExample()
        await using person = await visit(example.url, { colorScheme })
        const { page } = person
        const objections: string[] = []
        await walk(person, async (view) => {
          await expectAccessible(page).catch((error: Error) => {
            objections.push(`${view}: ${error.message}`)
          })
          const headings = await page.locator('h1:visible').allTextContents()
          if (headings.length !== 1) objections.push(`${view}: headings ${headings.join(', ')}`)
        })
        expect(objections.join('\n\n')).to.equal('')
      })
    }
  }
})
