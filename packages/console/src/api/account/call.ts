import type { Context } from 'koa'
import { notFound, type Problem } from '../../http/problem.ts'
import type { UseInWords } from '../../options.ts'
import type { SignedIn } from '../../sign-in/signed-in.ts'
import { isId } from '../ids.ts'
import type { Parts } from '../parts.ts'

/** What the handlers of the account page stand on. */
export type AccountParts = Pick<Parts, 'audit' | 'now' | 'pauses' | 'provider' | 'settings'>

/** A request of a customer. */
export interface AccountCall extends AccountParts {
  readonly ctx: Context
  readonly caller: SignedIn
  readonly describe: UseInWords | undefined
}

/** The same for all that is not the caller's: it does not tell what there is. */
export function notYours(): Problem {
  return notFound('there is no such impersonation of you')
}

/** @throws Problem 404 for what cannot be an id */
export function idIn(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw notYours()
}
