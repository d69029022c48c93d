import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { ENGLISH_BANNER_TEXTS } from '../../src/texts.ts'
import { banner, bannerTests, seen, showBanner } from '../support/banner-page.ts'

const DOCUMENT = await readFile(new URL('../../../../docs/browser.md', import.meta.url), 'utf8')
const ELEMENT = await readFile(
  new URL('../../src/banner/banner-element.ts', import.meta.url),
  'utf8',
)
const GERMAN = await readFile(
  new URL('../../../../examples/browser/german.js', import.meta.url),
  'utf8',
)
const STYLE = await readFile(new URL('../../src/banner/view.ts', import.meta.url), 'utf8')

/** The blocks that have a name in their first line, and the file to copy. */
const FILES = new Map([
  ['/german.js', GERMAN],
  ...[...DOCUMENT.matchAll(/^```(?:js|css)\n(?:\/\/|\/\*) ([\w.]+).*\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', code = '']): [string, string] => [
      `/${name}`,
      code.replace("'oidc-provider-impersonation-browser'", "'/packages/browser/src/index.ts'"),
    ],
  ),
])

describe('docs/browser.md: the banner', () => {
  const test = bannerTests({}, FILES)

  test('shows a banner, with its texts and its style', async ({ page }) => {
    await page.evaluate(async (css) => {
      const shown: { showBanner(session: unknown): Promise<void> } = await import(
        `${location.origin}/show.js`
      )
      await shown.showBanner(window.lab.session())
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
      document.adoptedStyleSheets = [sheet]
    }, FILES.get('/banner.css') ?? '')
    const region = banner(page)
    expect((await seen(region))[0]).to.equal('Olivia Okafor acts as Alice Ng')
    expect(await seen(region)).to.include('Look only')
    const colour = await region.evaluate((it) => getComputedStyle(it).backgroundColor)
    expect(colour).to.equal('rgb(219, 233, 255)')
    await page.evaluate(async () => {
      const { german } = await import(`${location.origin}/german.js`)
      window.lab.set({ texts: german })
    })
    // It translates every text.
    const keys = FILES.get('/german.js')?.match(/(?<=^ {2})\w+(?=:)/gm)
    expect(keys).to.deep.equal(Object.keys(ENGLISH_BANNER_TEXTS))
    const german = page.getByRole('region', { name: 'Olivia Okafor handelt als Alice Ng' })
    expect((await seen(german)).slice(0, 3)).to.deep.equal([
      'Olivia Okafor handelt als Alice Ng',
      'Vorgang SUP-123',
      'Nur ansehen',
    ])
  })

  test('has a docstring that names every part and custom property, and no other', async ({
    page,
  }) => {
    const region = await showBanner(page)
    const parts = await region.evaluate((it) =>
      [it, ...it.querySelectorAll('[part]')].map((each) => each.getAttribute('part')),
    )
    expect(namesBelow('These are the parts')).to.have.members([...new Set(parts)])
    const custom = STYLE.match(/(?<=var\()--impersonation(?!-banner-height)[\w-]+/g)
    expect(namesBelow('These custom properties')).to.have.members(custom ?? [])
  })
})

/** Returns the names that begin the items of a list in the docstring. */
function namesBelow(sentence: string): (string | undefined)[] {
  const [, list = ''] = ELEMENT.slice(ELEMENT.indexOf(sentence)).split('\n *\n')
  return [...list.matchAll(/^ \* - `([\w-]+)`/gm)].map(([, name]) => name)
}
