import type { AccountImpersonation, AccountState } from '../../api/account/answers.ts'
import { actorName } from '../kit/actor.tsx'
import { words } from '../kit/text.tsx'

/** The operator as the customer is told: by name, by id, or as one of the team. */
export function nameOf(of: AccountImpersonation): string {
  return actorName(of, words.account.support)
}

/** What happened, in the sentence that heads a card. */
export function sentenceOf(state: AccountState): string {
  if (state === 'running') return words.account.actsAsYou
  const hasBegun = !['waiting', 'unused', 'refused'].includes(state)
  return hasBegun ? words.account.actedAsYou : words.account.askedToAct
}

export function toneOf(state: AccountState): 'alarm' | 'good' | 'plain' | 'warning' {
  if (state === 'running') return 'warning'
  return state === 'replayed' ? 'alarm' : 'plain'
}
