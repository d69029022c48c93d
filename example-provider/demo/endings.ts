import { setTimeout as wait } from 'node:timers/promises'
import type { Application } from './application.ts'
import { check, step, terminal } from './report.ts'
import { ask, CUSTOMER_ID, endAll, issue, OPERATOR_ID, ordersStatus } from './requests.ts'

/** The longest time from an end until the orders API refuses a copied token, in milliseconds. */
const MAX_END_DELAY_MS = 10_000
const POLL_EVERY_MS = 250
/** For so long after an end of all, what is issued for the operator is refused, too, in milliseconds. */
const CONCERNED_AFTER_MS = 6_000

interface Acting {
  readonly subjectToken: string
  readonly copy: string
}

/** Ends impersonations, and shows that a copy of the token stops working. */
export async function endings(
  base: string,
  application: Application,
  operatorToken: string,
  machine: string,
): Promise<void> {
  const ways: [how: string, title: string, end: (acting: Acting) => Promise<void>][] = [
    ['End', 'End it by its own token, as the console does', ({ copy }) => application.end(copy)],
    [
      'the replay',
      'Exchange its subject token again: refused, and it ends what the first exchange began',
      ({ subjectToken }) =>
        application.expectRefusal(subjectToken, operatorToken, 'a used token was accepted'),
    ],
    [
      'ending all',
      `End all that ${OPERATOR_ID} runs, as a backend`,
      () => endAll(base, machine, OPERATOR_ID),
    ],
  ]
  const refusals: [how: string, took: Promise<number>][] = []
  for (const [how, title, end] of ways) {
    const subjectToken = await issue(`Ask the support backend to act as ${CUSTOMER_ID} again`, () =>
      ask(base, operatorToken),
    )
    const copy = await step('Exchange it, and copy the access token: the copy works', async () => {
      const accessToken = await application.exchange(subjectToken, operatorToken)
      check((await ordersStatus(base, accessToken)) === 200, 'the copy does not work')
      return accessToken
    })
    await step(title, () => end({ subjectToken, copy }))
    const took = untilRefused(() => ordersStatus(base, copy))
    // A step before may fail first.
    took.catch(() => {})
    refusals.push([how, took])
  }
  const over = wait(CONCERNED_AFTER_MS)
  for (const [how, took] of refusals) {
    const milliseconds = await step(`The orders API refuses the copy, after ${how}`, () => took)
    terminal.log(`    ${(milliseconds / 1000).toFixed(1)} s after the end`)
  }
  await over
}

/** Milliseconds until the answer is 401. */
export async function untilRefused(ask: () => Promise<number>): Promise<number> {
  const ended = performance.now()
  for (;;) {
    const status = await ask()
    const took = performance.now() - ended
    if (status === 401) return took
    check(
      took < MAX_END_DELAY_MS,
      `${MAX_END_DELAY_MS / 1000} s after the end, the answer is still ${status}`,
    )
    await wait(POLL_EVERY_MS)
  }
}
