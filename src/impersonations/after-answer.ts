import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { slot } from '../host/slot.ts'
import { endingsOf } from './retry.ts'

/** The longest wait of a task for the response to leave, in milliseconds. */
const MAX_ANSWER_MS = 1000

const tasksOf = slot('the tasks after answers', () => new Set<Promise<void>>())

/**
 * Runs a task when the response has left, or its caller is gone. A caller who reads nothing delays
 * it by a second. So the time of a response does not depend on the task (no oracle, I6).
 */
export function afterAnswer(provider: Provider, ctx: Context, run: () => void): void {
  const tasks = tasksOf.of(provider)
  const task = answered(ctx)
    .then(run)
    .finally(() => tasks.delete(task))
  tasks.add(task)
}

/** Resolves when tasks have run, and their ends were tried, for a process that stops. */
export async function answersFollowed(provider: Provider): Promise<void> {
  await Promise.all(tasksOf.of(provider))
  await endingsOf.of(provider).tried()
}

async function answered({ res }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_ANSWER_MS)
  res.once('finish', resolve).once('close', resolve)
  await promise
  clearTimeout(timer)
}
