import type { AccountImpersonation, AccountState } from '../../api/account/answers.ts'
import { words } from '../kit/text.tsx'

/** The operator as the customer is told: by name, by id, or as one of the team. */
export function nameOf({ operator }: AccountImpersonation): string {
  return operator?.name ?? operator?.id ?? words.account.support
}

/** What happened, in the sentence that heads a card. */
export function sentenceOf(state: AccountState): string {
  if (state === 'running') return words.account.actsAsYou
  const hasBegun = !['waiting', 'unused', 'refused'].includes(state)
  return hasBegun ? words.account.actedAsYou : words.account.askedToAct
}

export function toneOf(state: AccountState): 'alarm' | 'good' | 'plain' | 'warning' {
  if (state === 'running' || state === 'waiting') return 'warning'
  return state === 'replayed' ? 'alarm' : 'plain'
}
