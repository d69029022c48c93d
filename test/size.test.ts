import { expect } from 'chai'
import { budgets, tokensOf } from '../scripts/size.ts'

describe('npm run size', () => {
  it('counts tokens, whatever the lines and the comments are', () => {
    const code = "if (a?.b === 'a long text') c += `d e` // why\n"
    expect(tokensOf(code)).to.equal(11)
    expect(tokensOf(`/** A comment. */\n${code.replaceAll(') ', ')\n\n')}`)).to.equal(11)
    expect(Object.values(budgets()).every((budget) => budget > 0)).to.equal(true)
  })
})
