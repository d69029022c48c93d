import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'

const FOLDER = new URL('../../src/web/style/', import.meta.url)
const SCALE = await readFile(new URL('scale.css', FOLDER), 'utf8')

/** Properties of distances, texts, corners, and heights of controls. */
const ON_THE_SCALE =
  /^(?:(?:row-|column-)?gap|(?:scroll-)?(?:padding|margin)(?:-\w+)*|top|right|bottom|left|inset(?:-\w+)*|font(?:-size)?|line-height|border-radius|(?:min-)?height|--edge-space)$/

/** Lengths that no scale gives, each with its reason. */
const EXCEPTIONS = new Map([
  ['min-height: 100vh', 'the window'],
  ['left: -100vw', 'out of the window'],
  ['font-size: 0.9em', 'a monospaced face looks larger than the text that it stands in'],
  ['letter-spacing: -0.01em', 'of the text'],
  ['letter-spacing: -0.005em', 'of the text'],
  ['text-underline-offset: 0.2em', 'of the text'],
  ['width: 1px', 'for screen readers alone'],
  ['height: 1px', 'for screen readers alone'],
])

/** A line, an edge, a ring: at most 3 px, or the 6 px of a bar at the side. */
const LINE = /^(?:border|outline|text-decoration-thickness)/
const LINES = new Set(['1px', '-1px', '2px', '3px', '6px'])

const LENGTH = /-?\d*\.?\d+(?:rem|em|px|vh|vw|ch|pt)\b/g

async function declarations() {
  const files = (await readdir(FOLDER)).filter((name) => /(?<!colors|scale)\.css$/.test(name))
  const found = files.map(async (file) => {
    const css = await readFile(new URL(file, FOLDER), 'utf8')
    const text = css.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/@media[^{]*/g, '')
    return [...text.matchAll(/(?<=[{;]\s*)([\w-]+):\s*([^;{}]+);/g)].map(
      ([, property = '', value = '']) => ({ file, property, value: value.replaceAll(/\s+/g, ' ') }),
    )
  })
  return (await Promise.all(found)).flat()
}

describe('the style of the pages', () => {
  it('has one scale of spaces, texts, corners and controls, and lengths beside it by name', async () => {
    const all = await declarations()
    expect(all).to.have.length.above(600)
    const used = new Set<string>()
    const wrong = all.filter(({ property, value }) => {
      const declaration = `${property}: ${value}`
      if (EXCEPTIONS.has(declaration)) {
        used.add(declaration)
        return false
      }
      const lengths = value.match(LENGTH) ?? []
      if (LINE.test(property) && property !== 'border-radius') {
        return lengths.some((length) => !LINES.has(length))
      }
      if (ON_THE_SCALE.test(property)) return lengths.length > 0
      // A width of a column or a field: whole steps of 8 px, and what is left of the window.
      return lengths.some((length) => {
        if (length === '100vw' || length === '100vh') return false
        return !length.endsWith('rem') || Number.parseFloat(length) % 0.5 !== 0
      })
    })
    const lines = wrong.map(({ file, property, value }) => `${file}: ${property}: ${value}`)
    expect(lines.join('\n'), 'not on the scale').to.equal('')
    const unused = [...EXCEPTIONS.keys()].filter((each) => !used.has(each))
    expect(unused, 'an exception that nothing needs').to.deep.equal([])
  })

  it('has no step of the scale that nothing uses, and uses none that is not there', async () => {
    const steps = [...SCALE.matchAll(/(--[\w-]+):/g)].map(([, name = '']) => name)
    const text = (await declarations()).map(({ value }) => value).join('\n')
    const asked = new Set([...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name))
    const prefixes = /^--(?:space|text|line|control|round|width)-/
    expect(steps.filter((name) => !asked.has(name))).to.deep.equal([])
    expect([...asked].filter((name) => prefixes.test(name) && !steps.includes(name))).to.deep.equal(
      [],
    )
  })
})
