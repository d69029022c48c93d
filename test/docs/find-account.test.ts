import { glob, readFile } from 'node:fs/promises'
import { expect } from 'chai'

const ROOT = new URL('../../', import.meta.url)
const PLACES = [
  'README.md',
  'docs/*.md',
  'packages/*/README.md',
  'examples/**/*.{ts,js,mjs}',
  'example-provider/**/*.ts',
]
/** A function `findAccount`: the name of its second argument, and what stands behind it. */
const SAMPLE =
  /findAccount(?:: NonNullable<[^=]*> =|:)?(?: async)? ?\(_?ctx[^,]*, (\w+)[^)]*\)(.{0,300})/gs

/** The samples that answer the id that they were asked for. */
function echoes(text: string): string[] {
  return [...text.matchAll(SAMPLE)]
    .filter(([, id, body = '']) => new RegExp(`accountId: ${id}\\b|\\{ ${id},`).test(body))
    .map(([sample]) => sample)
}

describe('every sample of findAccount', () => {
  it('answers the id as it is stored, and not the one that it was asked for', async () => {
    const found: string[] = []
    let samples = 0
    for await (const path of glob(PLACES, { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
      const text = await readFile(new URL(path, ROOT), 'utf8')
      samples += [...text.matchAll(SAMPLE)].length
      found.push(...echoes(text).map((sample) => `${path}: ${sample}`))
    }
    expect(samples).to.be.greaterThan(8)
    expect(found).to.deep.equal([])
  })
})
