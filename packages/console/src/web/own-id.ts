import * as v from 'valibot'
import { isId } from '../kernel/ids.ts'
import { notFound, type Problem } from './http/problem.ts'

/** The id of an object of a customer. */
export const OWN_ID = { id: v.string('must be a text') }

/** The same for all that is not the customer's: it does not tell what there is. */
export function notYours(): Problem {
  return notFound('there is no such impersonation of you')
}

/** @throws Problem 404 for what cannot be an id */
export function ownId(text: string): string {
  if (isId(text)) return text
  throw notYours()
}
