import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { emitSafely } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import { endsWithin } from '../shared/time.ts'

/** The longest wait of a task for the response to leave, in milliseconds. */
const MAX_ANSWER_MS = 1000

/**
 * Runs a task when the response has left, or its caller is gone. A caller who reads nothing delays
 * it by a second. So the time of a response does not depend on the task (no oracle, I6).
 */
export function afterAnswer(provider: Provider, ctx: Context, run: () => void): void {
  const { tasks } = instance(provider)
  const { promise, resolve } = Promise.withResolvers<void>()
  ctx.res.once('finish', resolve).once('close', resolve)
  const task = endsWithin(MAX_ANSWER_MS, promise)
    .then(run)
    // Nobody waits for the task, so its error would end the process.
    .catch((error: unknown) => emitSafely(provider, 'server_error', ctx, error))
    .finally(() => tasks.delete(task))
  tasks.add(task)
}

/** Resolves when tasks have run, and their ends were tried, for a process that stops. */
export async function answersFollowed(provider: Provider): Promise<void> {
  await Promise.all(instance(provider).tasks)
  await instance(provider).endings.tried()
}
