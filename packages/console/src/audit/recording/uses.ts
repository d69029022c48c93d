import { type ToldRequest, USED_EVENT } from 'oidc-provider-impersonation-verify/format'
import { parseUse } from './parse-entry.ts'
import type { Recorder } from './recorder.ts'

/**
 * `onImpersonatedRequest` of a guard: records what operators did. One bad entry stops nothing (I17): rejects
 * with a TypeError that names the member where it is no use, and records nothing.
 */
export type RecordUse = (use: ToldRequest) => Promise<void>

export function useRecorder({ record }: Pick<Recorder, 'record'>): RecordUse {
  return async (reported) => {
    const { time, id, subject, actor, software, client, ...use } = parseUse(reported)
    await record({ event: USED_EVENT, time, id, subject, actor, software, client, use })
  }
}
