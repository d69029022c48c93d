import { hash } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { at } from '../support/clock.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer, REFUSED } from '../support/http.ts'

describe('what a subject token is', () => {
  it('I6: unknown, expired, redeemed and destroyed tokens get one and the same answer', async () => {
    await using deployment = await deploy()
    const used = await deployment.subjectToken()
    await deployment.exchange({ subject_token: used })
    const expired = await deployment.subjectToken()
    const saved: Array<{ destroy(): Promise<void> }> = []
    deployment.provider.on('subject_token.saved', (token) => saved.push(token as never))
    const destroyed = await deployment.subjectToken()
    await saved[0]?.destroy()
    // Other mistakes of a request must not tell them apart either.
    const badActor = { ...REFUSED, error_description: 'actor token is invalid' }
    for (const [flaw, told] of [
      [{}, REFUSED],
      [{ actor_token: 'garbage' }, badActor],
      [{ resource: 'https://unknown.example' }, REFUSED],
    ] as const) {
      const exchange = (subject_token: string) => deployment.exchange({ subject_token, ...flaw })
      const answers = [
        await exchange(used),
        await exchange(destroyed),
        await exchange('unknown'),
        await exchange(expired.slice(0, -1)),
        await at(Date.now() + 601_000, () => exchange(expired)),
      ]
      for (const answer of answers) {
        const { headers } = await expectAnswer(answer, 400, told)
        expect(headers.get('content-length')).to.equal(answers[0]?.headers.get('content-length'))
      }
    }
  })

  it('I3: nor the id of a record of another model, in an adapter that mixes them up', async () => {
    // One namespace for everything, as some adapters have it.
    const memory = createMemoryAdapter()('Everything')
    await using deployment = await deploy({ adapter: () => memory })
    const access_token = await deployment.actorToken()
    const id = hash('sha256', 'chosen', 'base64url')
    await memory.upsert(id, { ...(await memory.find(access_token)), jti: id }, 600)
    await expectAnswer(deployment.exchange({ subject_token: 'chosen' }), 400, REFUSED)
  })

  it('events: saved, consumed, with the hash for an id and without the value', async () => {
    await using deployment = await deploy()
    const events: string[] = []
    for (const name of ['subject_token.saved', 'subject_token.consumed'] as const) {
      deployment.provider.on(name, (token) => {
        events.push(
          `${name} ${inspect(token, { showHidden: true, depth: 9 })} ${JSON.stringify(token)}`,
        )
      })
    }
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    expect(events).to.have.lengthOf(2)
    expect(events[1]).to.match(/^subject_token\.consumed .*SubjectToken/)
    expect(events.join()).to.not.include(subject_token)
  })
})
