import { MAX_NOTE_LENGTH, saysSomething } from 'oidc-provider-impersonation-verify/format'
import { PermitError } from './errors.ts'
import type { Facts } from './rules.ts'

export const MAX_ID_LENGTH = 255

export const invalid = (message: string) => new PermitError('invalid_request', message)

export function noteOf(note: string | undefined): { readonly note?: string } {
  return note === undefined ? {} : { note: parseText('note', note, MAX_NOTE_LENGTH) }
}

export function parseText(name: string, value: unknown, most: number): string {
  const isText = typeof value === 'string' && value.isWellFormed() && saysSomething(value)
  if (isText && [...value].length <= most) return value
  throw invalid(`${name} must be a text of 1 to ${most} characters`)
}

export function durationOf(duration: number | undefined): { readonly duration?: number } {
  if (duration === undefined) return {}
  if (Number.isSafeInteger(duration) && duration > 0) return { duration }
  throw invalid('duration must be a number of seconds')
}

export function parseFacts({ customer, operator, application, resource, scope }: Facts): Facts {
  const facts = {
    customer: parseText('customer', customer, MAX_ID_LENGTH),
    operator: parseText('operator', operator, MAX_ID_LENGTH),
    application: parseText('application', application, MAX_ID_LENGTH),
    resource: parseText('resource', resource, 2048),
    scope: parseText('scope', scope, 2048),
  }
  if (facts.customer === facts.operator) throw invalid('customer and operator are one person')
  return facts
}
