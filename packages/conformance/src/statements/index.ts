import { ACTOR_STATEMENTS } from './actor.ts'
import { ACTOR_TOKEN_STATEMENTS } from './actor-token.ts'
import { BINDING_STATEMENTS } from './binding.ts'
import { END_STATEMENTS } from './end.ts'
import { EXCHANGE_STATEMENTS } from './exchange.ts'
import { ISSUE_STATEMENTS } from './issue.ts'
import { SINGLE_USE_STATEMENTS } from './single-use.ts'
import type { Statement } from './statement.ts'
import { STATUS_STATEMENTS } from './status.ts'

/** Every statement of the profile that can be tested from outside. */
export const ALL_STATEMENTS: readonly Statement[] = [
  ...ISSUE_STATEMENTS,
  ...BINDING_STATEMENTS,
  ...EXCHANGE_STATEMENTS,
  ...SINGLE_USE_STATEMENTS,
  ...ACTOR_STATEMENTS,
  ...END_STATEMENTS,
  ...STATUS_STATEMENTS,
  ...ACTOR_TOKEN_STATEMENTS,
]
