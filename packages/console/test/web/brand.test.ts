import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import {
  assertReadable,
  brandStyle,
  type Color,
  contrastOf,
  DARKEST_GROUND,
} from '../../src/web/brand.ts'
import { deploy } from '../support/deployment.ts'

const SVG = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')}`

const HTML = { headers: { accept: 'text/html' } }

describe('the brand of a firm', () => {
  it('measures contrast as WCAG does', () => {
    expect(contrastOf('#000000', '#ffffff')).to.equal(21)
    expect(contrastOf('#777777', '#ffffff')).to.be.closeTo(4.48, 0.005)
  })

  it('can be read in light and dark, whatever color is allowed', async () => {
    const css = await readFile(new URL('../../src/web/style/colors.css', import.meta.url), 'utf8')
    const grounds = ['ground', 'surface', 'sunken'].map((name) =>
      [...css.matchAll(new RegExp(`--${name}: (#\\w+);`, 'g'))].map(
        ([, color]) => (color === '#fff' ? '#ffffff' : color) as Color,
      ),
    )
    // The least that any color becomes in dark mode.
    expect(brandStyle('#000000')).to.contain('color-mix(in srgb,var(--brand) 35%,white)')
    for (const [light = '#ffffff', dark = '#000000'] of grounds) {
      expect(contrastOf(light, '#000000'), light).to.be.least(contrastOf(DARKEST_GROUND, '#000000'))
      expect(contrastOf('#a6a6a6', dark), dark).to.be.least(4.5)
    }
    for (const color of ['#2f3fb5', '#000000', '#0a6640', '#a11b1b'] satisfies Color[]) {
      assertReadable(color, 'options.brand')
      expect(contrastOf(color, DARKEST_GROUND), color).to.be.least(4.5)
    }
    const refused = () => assertReadable('#6f7a94', 'options.brand')
    expect(refused).to.throw(TypeError, 'contrast of 3.7')
  })

  it('is on the pages of the console and of the account: name, logo and color', async () => {
    await using deployment = await deploy({
      console: { brand: { name: 'Nord & Süd', logo: SVG, color: '#0a6640' } },
    })
    for (const path of ['/console/sign-in', '/account/sign-in']) {
      const answer = await fetch(`${deployment.url}${path}`, HTML)
      const page = await answer.text()
      expect(page).to.match(/· Nord &(?:#38|amp); Süd<\/title>/)
      expect(answer.headers.get('content-security-policy')).to.contain("img-src 'self' data:;")
      const [style = '', brand = ''] = [...page.matchAll(/rel="stylesheet" href="([^"]*)"/g)].map(
        ([, href]) => href,
      )
      expect(style).to.match(/style-[\w-]+\.css$/)
      const css = await (await fetch(`${deployment.url}${brand}`)).text()
      expect(css).to.contain(':root{--brand:#0a6640;')
      expect(page).to.include(`<img class="mark" src="${SVG}"`)
    }
  })

  it('lets a page load its logo from one origin, and no other image', async () => {
    await using deployment = await deploy({
      console: { brand: { name: 'Nord', logo: 'https://cdn.example.com/logo.png?size=2' } },
    })
    const { headers } = await fetch(`${deployment.url}/console/sign-in`, HTML)
    expect(headers.get('content-security-policy')).to.contain(
      "img-src 'self' https://cdn.example.com;",
    )
    await using plain = await deploy()
    const { headers: without } = await fetch(`${plain.url}/console/sign-in`, HTML)
    expect(without.get('content-security-policy')).to.contain("img-src 'self';")
  })
})
