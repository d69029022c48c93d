import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Example } from '../../example-provider/support.ts'
import { IMAGES, screenshot } from '../support/screenshots.ts'
import { NARROW, visit } from '../support/visit.ts'
import { blamelessPage } from './page.ts'

describe('a screenshot', () => {
  let server: Example

  before(async () => {
    server = await blamelessPage()
  })
  after(() => server.close())

  it('is 1280 by 800, whatever the window was, and is not kept unless SCREENSHOTS=1 asks for it', async () => {
    await using person = await visit(server.url, { viewport: NARROW })
    await person.page.goto('/')
    const folder = await mkdtemp(join(tmpdir(), 'screenshots-test-'))
    const asked = process.env.SCREENSHOTS
    delete process.env.SCREENSHOTS
    try {
      await screenshot(person.page, 'a-test', folder)
      const png = await readFile(join(folder, 'a-test.png'))
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([1280, 800])
      await screenshot(person.page, 'a-test')
      expect(existsSync(join(IMAGES, 'a-test.png'))).to.equal(false)
    } finally {
      if (asked !== undefined) process.env.SCREENSHOTS = asked
      await rm(folder, { recursive: true })
    }
  })
})
