import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { basic, type Deployment } from '../support/deployment.ts'

/** The one impersonation of the deployment, as it stands. */
export async function only({ provider }: Deployment) {
  const { items } = await provider.impersonation.list()
  expect(items).to.have.length(1)
  return items[0] ?? expect.fail()
}

/** Expects the one impersonation of the deployment in this state. */
export async function expectState(deployment: Deployment, state: string): Promise<void> {
  expect((await only(deployment)).state).to.equal(state)
}

/** Shorter than the time limit of a test, so that the expectation that follows names what is wrong. */
const MAX_WAIT_MS = 15_000

/** Waits for what happens after an answer. If it does not happen, resolves with the last value. */
export async function until<T>(look: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  const isOver = AbortSignal.timeout(MAX_WAIT_MS)
  for (;;) {
    const value = await look()
    if (isSo(value) || isOver.aborted) return value
    await wait(5)
  }
}

/** Waits until there are so many. */
export const counted = (list: readonly unknown[], count: number) =>
  until(
    async () => list.length,
    (length) => length >= count,
  )

/** Waits until the one impersonation of the deployment has ended. */
export const hasEnded = (deployment: Deployment) =>
  until(
    () => only(deployment),
    ({ state }) => state === 'ended',
  )

/** Expects introspection to say whether an access token is active. */
export async function expectActive(
  deployment: Pick<Deployment, 'post'>,
  token: string,
  expected: boolean,
  what?: string,
): Promise<void> {
  const headers = basic('web', 'web-secret')
  const { body } = await deployment.post('/oidc/token/introspection', { token }, headers)
  expect(body.active, what).to.equal(expected)
}
