import { expect } from 'chai'
import { type Authorize, allOf, Provider } from '../../src/index.ts'
import { describeRule } from '../../src/siblings/index.ts'

const described = (description?: Authorize['description']): Authorize =>
  Object.assign(() => true, { description })

describe('the description of a rule', () => {
  it('is a list where rules are joined, with a gap for each rule that says nothing', () => {
    const joined = allOf(described('Office hours'), described(), described(['a', undefined, 'b']))
    expect(joined.description).to.deep.equal(['Office hours', undefined, 'a', undefined, 'b'])
    expect(allOf(joined, described('last')).description).to.have.length(6)
  })

  it('is a sentence: anything else is refused at the start, with what it must be', () => {
    for (const wrong of ['', '  ', 'a'.repeat(501), 7, null, {}, ['a', 7], ['']]) {
      const rule = described(wrong as never)
      const refusal = 'description must be a sentence of 1 to 500 characters'
      expect(() => allOf(rule), JSON.stringify(wrong)).to.throw(
        TypeError,
        `allOf: rule 1.${refusal}`,
      )
      expect(() => providerWith(rule)).to.throw(
        TypeError,
        `features.impersonation.authorize.${refusal}`,
      )
    }
  })

  it('is told to the console as it is; without a rule, there is none', () => {
    expect(describeRule(providerWith(described('Office hours')))).to.deep.equal(['Office hours'])
    expect(describeRule(providerWith(described()))).to.deep.equal([undefined])
    expect(describeRule(providerWith(undefined))).to.deep.equal([])
  })
})

function providerWith(authorize: Authorize | undefined): Provider {
  return new Provider('https://id.example.com', {
    features: {
      clientCredentials: { enabled: true },
      impersonation: {
        enabled: true,
        managementApi: { resource: 'https://id.example.com/api', clients: ['backend'] },
        authorize,
      },
    },
  })
}
