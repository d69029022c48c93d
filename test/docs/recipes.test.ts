import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { recipesIn, withRecipes } from '../../scripts/recipes-in-docs.ts'

const markdown = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
const tested = readdirSync(new URL('../recipes', import.meta.url))
  .filter((file) => file.endsWith('.recipe.ts'))
  .map((file) => file.replace('.recipe.ts', '.ts'))

describe('the recipes in docs/adapters.md', () => {
  it('are the code that npm run test:all -- recipes runs, line by line', () => {
    expect(markdown, 'run: node scripts/recipes-in-docs.ts').to.equal(withRecipes(markdown))
  })

  it('are all that are tested', () => {
    expect(tested).to.have.length.at.least(9)
    expect(recipesIn(markdown)).to.include.members(tested)
  })

  it('are the only code for a store that the page has', () => {
    const section = markdown.split('## `consumeOnce` for an adapter you have')[1] ?? ''
    const own = section.split('\n## ')[0] ?? ''
    expect(own.match(/^```\w+$/gm)).to.have.length(recipesIn(own).length)
  })
})
