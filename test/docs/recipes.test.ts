import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const markdown = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
const filesIn = (folder: string) => readdirSync(new URL(`../../${folder}`, import.meta.url))
/** Lines that recipes share. */
const PARTS = ['record.ts']

describe('the recipes', () => {
  it('are all linked from docs/adapters.md, and tested by npm run test:all -- recipes', () => {
    const recipes = filesIn('examples/recipes').filter((file) => file.endsWith('.ts'))
    expect(recipes).to.include.members(PARTS)
    for (const file of recipes) expect(markdown, file).to.include(`(../examples/recipes/${file})`)
    const tested = filesIn('test/recipes').filter((file) => file.endsWith('.recipe.ts'))
    expect([...tested.map((file) => file.replace('.recipe.ts', '.ts')), ...PARTS]).to.have.members(
      recipes,
    )
  })
})
