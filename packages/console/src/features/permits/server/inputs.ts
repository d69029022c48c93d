import { MAX_NOTE_LENGTH, present, saysSomething } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { objectOf, readBy, wholeNumber } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import { PermitError } from './errors.ts'

export const invalidInput = (message: string) => new PermitError('invalid_request', message)

function saidText(most: number) {
  const message = `must be a text of 1 to ${most} characters`
  const isSaid = (said: string) =>
    said.isWellFormed() && saysSomething(said) && [...said].length <= most
  return v.pipe(v.string(message), v.check(isSaid, message))
}

const accountId = saidText(MAX_ID_LENGTH)
const note = saidText(MAX_NOTE_LENGTH)

const REQUEST = v.pipe(
  objectOf({
    customer: accountId,
    operator: accountId,
    application: saidText(MAX_ID_LENGTH),
    resource: saidText(2048),
    scope: saidText(2048),
    ticket: saidText(MAX_ID_LENGTH),
    reason: note,
    /** Seconds. */
    duration: v.optional(wholeNumber(1)),
  }),
  v.check(({ customer, operator }) => customer !== operator, 'has one person twice'),
)

/** @throws PermitError, as the functions below */
export function parseRequest(value: unknown) {
  const {
    ticket: ticketId,
    reason,
    duration,
    ...facts
  } = readBy(REQUEST, value, invalidInput, 'request')
  return { facts, written: { ticketId, reason, ...present({ duration }) } }
}

export function noteOf(said: string | undefined): { readonly note?: string } {
  return said === undefined ? {} : { note: parseNote(said) }
}

export function parseNote(said: unknown): string {
  return readBy(note, said, invalidInput, 'note')
}

export function parseAccountId(id: unknown, name: string): string {
  return readBy(accountId, id, invalidInput, name)
}
