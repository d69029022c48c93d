import type { AdapterPayload } from 'oidc-provider'
import { isPlainObject } from '../shared/json.ts'
import { decodePayload, encodePayload, type LifecycleKeys, withFate } from './record.ts'

/** A record of the memory adapter. */
export interface MemoryRecord {
  /** A copy, so that code outside cannot change it: JSON, or an object without objects in it. */
  readonly payload: string | AdapterPayload
  /** Milliseconds since the epoch, or Infinity. */
  readonly expiresAt: number
  readonly uid: string | undefined
  readonly userCode: string | undefined
  readonly grantId: string | undefined
  readonly listed: LifecycleKeys | undefined
  /** Seconds since the epoch, or 0. */
  consumed: number
  note: string | undefined
  /** `actor` of the note. */
  actor: string | undefined
  end: string | undefined
}

/** A copy to keep. An exchange costs less by what a subject token is not written as JSON for. */
export function copyOf(model: string, payload: AdapterPayload): string | AdapterPayload {
  // A subject token's strings come out of JSON or a generator. A string of another model may be a
  // part of a request's body, and keeps all of that in memory.
  return (model === 'SubjectToken' && flatCopy(payload)) || encodePayload(payload)
}

/** The payload as it is now: a copy for the caller. */
export function payloadOf(record: MemoryRecord): AdapterPayload {
  const { payload } = record
  return typeof payload === 'string'
    ? decodePayload(payload, record)
    : withFate({ ...payload }, record)
}

/**
 * A copy of a payload that JSON would copy just so, because no member is an object, `undefined` or a
 * number that JSON does not have; `undefined` of any other.
 */
function flatCopy(payload: AdapterPayload): AdapterPayload | undefined {
  if (!isPlainObject(payload)) return undefined
  const copy: AdapterPayload = { ...payload }
  return Object.values(copy).every(isSimple) ? copy : undefined
}

function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}
