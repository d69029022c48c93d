import { resourceServer } from '../../packages/resource-server/src/index.ts'
import {
  ENDED,
  expectVerdict,
  verdict,
} from '../../packages/resource-server/test/status/status-provider.ts'
import { managing } from '../support/managing.ts'
import { renewed } from '../support/shared.ts'
import { signIn, signOutOfProvider } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { until } from './recorded-endings.ts'

/** The longest time that an API may not know, in seconds, while the list can be had. */
const PROMISE = 8

describe('I11: the guard and the provider: a copied token', () => {
  const clock = renewed(stoppedClock)
  const deployment = renewed(managing)
  const guard = () => {
    const { issuer, orders: audience } = deployment
    return resourceServer({ issuer, audience, requireStatus: true })
  }

  type Run = Awaited<ReturnType<typeof run>>

  /** Lets an operator act, with a token that an attacker copies. */
  async function run(actor: string) {
    const operator = await signIn(deployment, actor)
    const actor_token = operator.access_token
    return { operator, ...(await deployment.impersonate({ actor_token })) }
  }

  const ways: Record<string, (run: Run) => Promise<unknown>> = {
    'by the management API': ({ id }) => deployment.send(`/${id}/end`),
    'with the token itself': ({ token }) => deployment.endCurrent(token),
    'with all that the operator runs': () => deployment.send('/end', { actor: 'olivia' }),
    'by a replay': ({ subjectToken }) => deployment.exchange({ subject_token: subjectToken }),
    'as the operator signs out': ({ operator }) => signOutOfProvider(deployment, operator),
  }
  for (const [way, endIt] of Object.entries(ways)) {
    it(`that is ended ${way} is refused in time, and no other`, async () => {
      const [mine, other] = [await run('olivia'), await run('bob')]
      const api = guard()
      await expectVerdict(api, mine.token, 'alice')
      await expectVerdict(api, other.token, 'alice')
      await endIt(mine)
      // The provider does it after its answer.
      await until(
        () => deployment.provider.impersonation.get(mine.id),
        (it) => it?.state === 'ended',
      )
      clock.pass(PROMISE)
      await expectVerdict(api, mine.token, ENDED)
      await expectVerdict(api, other.token, 'alice')
      await expectVerdict(guard(), mine.token, ENDED)
      deployment.expectNoErrors()
    })
  }

  it('is refused in time also where the list was fetched just before the end, by this API and by another', async () => {
    const { id, token } = await run('olivia')
    const [api, another] = [guard(), guard()]
    // The other API's fetch is what the provider signs; this one gets it out of its cache.
    await expectVerdict(another, token, 'alice')
    clock.pass(0.9)
    await expectVerdict(api, token, 'alice')
    await deployment.send(`/${id}/end`)
    // As APIs do that are asked all the time.
    for (let passed = 0; passed < PROMISE; passed += 0.5) {
      clock.pass(0.5)
      for (const each of [api, another]) await verdict(each, token)
    }
    for (const each of [api, another]) await expectVerdict(each, token, ENDED)
  })
})
