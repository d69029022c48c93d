import { orUnavailable } from '../http/problem.ts'
import type { Customer } from '../options.ts'
import type { Settings } from '../settings.ts'
import type { CustomerAnswer, CustomersAnswer } from './console/answers.ts'

/** How many customers one answer has. */
const MAX_FOUND = 25
/** How many details of a customer are shown. */
const MAX_DETAILS = 4

/** The deployment's directory. A directory that fails is trouble, and never reads as *not found*. */
export interface CustomerDirectory {
  /** @throws Problem 503 */
  search(text: string, offset: number): Promise<CustomersAnswer>
  /** @throws Problem 503 */
  get(id: string): Promise<CustomerAnswer | undefined>
}

/** @param language of what the deployment says about a customer */
export function customerDirectory(
  { customers }: Pick<Settings, 'customers'>,
  language: string,
): CustomerDirectory {
  return {
    async search(text, offset) {
      const { customers: found, more } = await asked(() =>
        customers.search(text, { offset, limit: MAX_FOUND, language }),
      )
      return {
        customers: found.slice(0, MAX_FOUND).map(copyOf),
        more: more || found.length > MAX_FOUND,
      }
    },
    async get(id) {
      const found = await asked(() => customers.get(id, { language }))
      return found && copyOf(found)
    },
  }
}

function asked<T>(ask: () => Promise<T> | T): Promise<T> {
  return orUnavailable('the customers cannot be looked up now', ask)
}

/** Member by member: what else the deployment's object has stays here. */
function copyOf({ id, name, email, protected: why, details }: Customer): CustomerAnswer {
  const shown = Object.entries(details ?? {}).slice(0, MAX_DETAILS)
  return {
    id,
    name,
    ...(email === undefined ? {} : { email }),
    ...(why === undefined ? {} : { protected: why }),
    ...(shown.length === 0 ? {} : { details: Object.fromEntries(shown) }),
  }
}
