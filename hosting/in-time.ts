import { setTimeout as wait } from 'node:timers/promises'

/** Rejects if the server accepts the connection but does not answer in time. */
export async function inTime(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const tooLate = wait(milliseconds, undefined, { ref: false }).then(() => {
    throw new Error('it does not answer')
  })
  await Promise.race([work, tooLate])
}
