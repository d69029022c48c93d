import { log } from '../../../kernel/log-line.ts'
import { askDeployment } from './asking.ts'
import type { Offers, StandingChoice } from './options.ts'
import { isListOfChoices, STANDING_CHOICES } from './shape.ts'

const DEFAULT_OFFERS: readonly StandingChoice[] = ['day', 'week', 'always']

/** What a customer can choose now. `ask` always. @throws PermitError 503 */
export type FindOffers = (customer: string) => Promise<readonly StandingChoice[]>

export function offersOf(offers: Offers = DEFAULT_OFFERS, timeoutMs: number): FindOffers {
  let isWarned = false
  return async (customer) => {
    const answer: unknown =
      typeof offers === 'function'
        ? await askDeployment('what a customer can choose', timeoutMs, () => offers(customer))
        : offers
    if (!isListOfChoices(answer) && !isWarned) {
      isWarned = true
      log('options.standing.offers must answer a list of choices: anything else is none')
    }
    const all: readonly unknown[] = Array.isArray(answer) ? answer : []
    return STANDING_CHOICES.filter((choice) => choice === 'ask' || all.includes(choice))
  }
}
