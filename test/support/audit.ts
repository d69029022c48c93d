import { setImmediate as turn } from 'node:timers/promises'
import type { ImpersonationEvent } from '../../src/index.ts'
import { type DeploymentOptions, deploy } from './deployment.ts'

export const EVENT_NAMES = [
  'impersonation.issued',
  'impersonation.started',
  'impersonation.denied',
  'impersonation.replayed',
] as const

/** A deployment that records its events, and the ends apart. The events come after the answers. */
export async function recording(options: DeploymentOptions = {}) {
  const deployment = await deploy(options)
  const events: Array<ImpersonationEvent & { name: string }> = []
  for (const name of EVENT_NAMES) {
    deployment.provider.on(name, (_ctx, event) => events.push({ name, ...event }))
  }
  const ended: ImpersonationEvent[] = []
  deployment.provider.on('impersonation.ended', (_ctx, event) => ended.push(event))
  const recorded = async () => {
    await turn()
    await turn()
    return events
  }
  return { ...deployment, recorded, ended }
}
