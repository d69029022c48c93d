import { endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  BEGUN_EVENT,
  type Beginning,
  present,
  reasonOf,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../../kernel/log-line.ts'
import type { SignCheckpoint } from '../keeping/checkpoint.ts'

/** How long a signature may take, in milliseconds: entries wait for it. */
const SIGNING_TIMEOUT_MS = 2000

/**
 * The first entry of a chain. Never rejects: where no key signs, entries are stored all the same, and
 * `verify` says of the chain that it is not signed.
 */
export async function beginningOfChain(
  sign: SignCheckpoint,
  writer: string,
  time: number,
): Promise<AuditEntry> {
  const claims: Beginning = { version: 1, begins: writer, time }
  let begun: string | undefined
  try {
    const signing = Promise.resolve().then(() => sign({ ...claims }))
    if (!(await endsWithin(SIGNING_TIMEOUT_MS, signing))) throw new Error('it took too long')
    begun = await signing
  } catch (error) {
    log(`the chain of this process is not signed, and cannot be verified: ${reasonOf(error)}`)
  }
  return { event: BEGUN_EVENT, timeMs: time, ...present({ begun }) }
}
