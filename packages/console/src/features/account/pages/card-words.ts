import { actorName } from '../../../web/kit/actor.tsx'
import { text, words } from '../../../web/kit/text.tsx'
import type { AccountImpersonation, AccountState } from '../server/answers.ts'

/** The operator as the customer is told: by name, by id, or as one of the team. */
export function operatorNameOf(of: AccountImpersonation): string {
  return actorName(of, words.account.support)
}

/** What happened, in the sentence that heads a card. */
export function cardSentence(state: AccountState): string {
  if (state === 'running') return words.account.actsAsYou
  const hasBegun = !['waiting', 'unused', 'refused'].includes(state)
  return hasBegun ? words.account.actedAsYou : words.account.askedToAct
}

/** How it stands, or how it ended: *Ended by Olivia Ortiz*. */
export function stateText({ state, endedBy }: AccountImpersonation): string {
  const { states, endedBy: sentence } = words.account
  return endedBy ? text(sentence, { who: endedBy.name ?? endedBy.id }) : states[state]
}

export function cardTone(state: AccountState): 'alarm' | 'good' | 'plain' | 'warning' {
  if (state === 'running') return 'warning'
  return state === 'replayed' ? 'alarm' : 'plain'
}
