import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { type Color, contrastOf, mix } from '../../src/kernel/contrast.ts'
import { brandSettings, DARK_GROUNDS, LIGHT_GROUNDS } from '../../src/web/brand.ts'
import { deploy } from '../support/deployment.ts'

const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`

describe('the brand of a firm', () => {
  it('measures contrast as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).to.equal(21)
    expect(contrastOf('#777777', '#ffffff')).to.be.closeTo(4.48, 0.005)
    expect(mix('#000000', '#ffffff', 0.5)).to.equal('#808080')
  })

  it('can be read in light and dark, whatever color is allowed', async () => {
    const css = await readFile(new URL('../../src/web/style/colors.css', import.meta.url), 'utf8')
    for (const name of ['ground', 'surface', 'sunken']) {
      const [light, dark] = [...css.matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))].map(
        ([, color]) => (color === '#fff' ? '#ffffff' : color),
      )
      expect(LIGHT_GROUNDS, `${name} is measured`).to.include(light)
      expect(DARK_GROUNDS, `${name} is measured`).to.include(dark)
    }
    for (const color of ['#2f3fb5', '#000000', '#0a6640', '#a11b1b', '#4b0082'] satisfies Color[]) {
      const { palette } = brandSettings({ name: 'A', color }, 'options.brand')
      if (!palette) return expect.fail()
      for (const ground of [...LIGHT_GROUNDS, palette.light.accentSoft]) {
        expect(contrastOf(palette.light.accent, ground), `${color} on ${ground}`).to.be.least(4.5)
      }
      for (const ground of [...DARK_GROUNDS, palette.dark.accentSoft]) {
        expect(contrastOf(palette.dark.accent, ground), `${color} on ${ground}`).to.be.least(4.5)
      }
    }
  })

  it('is on the pages of the console and of the account: name, logo and color', async () => {
    await using deployment = await deploy({
      console: { brand: { name: 'Nord & Süd', logo: SVG, color: '#0a6640' } },
    })
    for (const path of ['/console', '/account']) {
      const answer = await fetch(`${deployment.url}${path}`)
      const page = await answer.text()
      expect(page).to.contain('· Nord &#38; Süd</title>')
      expect(answer.headers.get('content-security-policy')).to.contain("img-src 'self' data:;")
      const [style = '', brand = ''] = [...page.matchAll(/rel="stylesheet" href="([^"]*)"/g)].map(
        ([, href]) => href,
      )
      expect(style).to.match(/style-[\w-]+\.css$/)
      const css = await (await fetch(`${deployment.url}${brand}`)).text()
      expect(css).to.contain(':root{--accent:#0a6640;')
      const [, script = ''] = /src="([^"]*\.js)"/.exec(page) ?? []
      const start = (await (await fetch(`${deployment.url}${script}`)).text()).slice(0, 200_000)
      expect(start).to.contain(`"brand":{"name":"Nord & Süd","logo":"${SVG}"}`)
    }
  })

  it('lets a page load its logo from one origin, and no other image', async () => {
    await using deployment = await deploy({
      console: { brand: { name: 'Nord', logo: 'https://cdn.example.com/logo.png?size=2' } },
    })
    const { headers } = await fetch(`${deployment.url}/console`)
    expect(headers.get('content-security-policy')).to.contain(
      "img-src 'self' https://cdn.example.com;",
    )
    await using plain = await deploy()
    const { headers: without } = await fetch(`${plain.url}/console`)
    expect(without.get('content-security-policy')).to.contain("img-src 'self';")
  })
})
