import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { withRecipes } from '../../scripts/recipes-in-docs.ts'

const markdown = readFileSync(new URL('../../docs/adapter-contract.md', import.meta.url), 'utf8')
const filesIn = (folder: string) => readdirSync(new URL(`../../${folder}`, import.meta.url))
/** What recipes share. */
const PARTS = ['record.ts']

describe('the recipes', () => {
  it('are all linked from docs/adapter-contract.md, and tested by npm run test:all -- recipes', () => {
    const recipes = filesIn('examples/recipes').filter((file) => file.endsWith('.ts'))
    expect(recipes).to.include.members(PARTS)
    for (const file of recipes) expect(markdown, file).to.include(`(../examples/recipes/${file})`)
    const tested = filesIn('test/recipes').filter((file) => file.endsWith('.recipe.ts'))
    expect([...tested.map((file) => file.replace('.recipe.ts', '.ts')), ...PARTS]).to.have.members(
      recipes,
    )
  })

  it('are what docs/adapter-contract.md shows of them', () => {
    expect(markdown).to.match(/\(\.\.\/examples\/recipes\/mysql\.ts\)\n\n```ts\n/)
    expect(markdown, 'run: node scripts/recipes-in-docs.ts').to.equal(withRecipes(markdown))
  })
})
