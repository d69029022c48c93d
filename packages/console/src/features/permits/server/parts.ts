import type { RecordCall } from '../../../records/api/shown.ts'
import { notFound } from '../../../web/http/problem.ts'
import type { ConsolePermits } from './permits.ts'

export interface PermitParts {
  /** Absent if the console has none. */
  readonly permits: ConsolePermits | undefined
}

export type PermitCall = PermitParts & RecordCall

/** @throws Problem 404 if the console has no permits */
export function requirePermits({ permits }: PermitParts) {
  if (permits) return permits
  throw notFound('there is nothing here')
}
