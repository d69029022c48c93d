import { expect } from 'chai'
import * as guard from '../../packages/resource-server/src/act.ts'
import { SIGNING_ALGORITHMS as ALGORITHMS_OF_GUARD } from '../../packages/resource-server/src/option-rules.ts'
import { IMPERSONATED_JTI_PREFIX, SIGNING_ALGORITHMS } from '../../src/shared/constants.ts'

const SOFTWARE = { sub: 'copilot', client_id: 'copilot' }

/** An `act` claim, and who acts by it: `undefined` where it cannot be relied on. */
const CASES: readonly [title: string, act: unknown, means: object | undefined][] = [
  ['a person', { sub: 'olivia' }, { actor: { sub: 'olivia' } }],
  ['a person after another one', { sub: 'olivia', act: { sub: 'grace' } }, undefined],
  ['software on its own', SOFTWARE, { software: 'copilot' }],
  [
    'software for a person, without what is informational',
    { ...SOFTWARE, act: { sub: 'olivia', email: 'x' }, iss: 'x' },
    { actor: { sub: 'olivia' }, software: 'copilot' },
  ],
  ['software for other software', { ...SOFTWARE, act: SOFTWARE }, undefined],
  ['software with the id of another client', { sub: 'copilot', client_id: 'other' }, undefined],
  ['nobody', { sub: '' }, undefined],
  ['a number', { sub: 1 }, undefined],
  ['a text', 'olivia', undefined],
  ['null', null, undefined],
  ['software for a number', { ...SOFTWARE, act: { sub: 2 } }, undefined],
]

describe('the guard', () => {
  for (const [title, act, means] of CASES) {
    it(`reads from act: ${title}`, () => {
      const parsed = guard.parseAct(act)
      expect(parsed && guard.personAndSoftware(parsed)).to.deep.equal(means)
    })
  }

  it('knows an impersonated token as the plugin does, by the same prefix, and the same signature algorithms', () => {
    expect(guard.IMPERSONATED_JTI_PREFIX).to.equal(IMPERSONATED_JTI_PREFIX)
    expect(ALGORITHMS_OF_GUARD).to.deep.equal(SIGNING_ALGORITHMS)
  })
})
