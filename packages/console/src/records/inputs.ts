import { MAX_NOTE_LENGTH, saysSomething } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { readBy } from '../kernel/input.ts'
import { MAX_ID_LENGTH } from '../kernel/limits.ts'
import { PermitError } from './errors.ts'

export const invalidInput = (message: string) => new PermitError('invalid_request', message)

/** A text that a person can read, of so many characters at most. */
export function saidText(most: number) {
  const message = `must be a text of 1 to ${most} characters`
  const isSaid = (said: string) =>
    said.isWellFormed() && saysSomething(said) && [...said].length <= most
  return v.pipe(v.string(message), v.check(isSaid, message))
}

export const accountId = saidText(MAX_ID_LENGTH)
export const note = saidText(MAX_NOTE_LENGTH)

/** @throws PermitError */
export function parseNote(said: unknown) {
  return readBy(note, said, invalidInput, 'note')
}

/** @throws PermitError */
export function parseAccountId(id: unknown, name: string) {
  return readBy(accountId, id, invalidInput, name)
}
