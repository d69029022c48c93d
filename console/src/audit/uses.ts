import type { ImpersonationUse } from 'oidc-provider-impersonation/resource-server'
import { USED } from './entry.ts'
import type { Recorder } from './recorder.ts'

/** `onImpersonatedRequest` of a guard: records what operators did. */
export type RecordUse = (use: ImpersonationUse) => Promise<void>

export function useRecorder({ record }: Pick<Recorder, 'record'>): RecordUse {
  return ({ time, id, subject, actor, client, ...use }) =>
    record({ event: USED, time, id, subject, actor, client, use })
}
