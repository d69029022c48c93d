import { orUnavailable } from './http/problem.ts'

/** A customer as the directory of the deployment knows them. */
export interface Customer {
  /** The account id, `sub` in the customer's tokens. */
  readonly id: string
  /** The name that operators read. */
  readonly name: string
  /** The e-mail address, which notices go to. @defaultValue no address */
  readonly email?: string | undefined
  /**
   * A sentence that says why nobody may act as this customer. Other backends do not ask the
   * console, so refuse in `authorize`, too.
   * @defaultValue not protected
   */
  readonly protected?: string | undefined
  /** Up to 4 more texts by their label, to tell customers apart. @defaultValue no details */
  readonly details?: Readonly<Record<string, string>> | undefined
}

/** The directory of the deployment. What it throws is answered 503, and never reads as *not found*. */
export interface Customers {
  /**
   * Finds customers by what an operator typed.
   *
   * @param text 1 to 100 characters, trimmed
   * @param page which part of the result: skip `offset`, and return at most `limit`; `language` is the reader's,
   *   a BCP 47 tag, for `protected` and `details`
   * @returns the customers in the order in which they are shown, and whether there are more
   */
  search(
    text: string,
    page: { readonly offset: number; readonly limit: number; readonly language: string },
  ): SearchResult | Promise<SearchResult>
  /** @returns the customer with this account id; `undefined` where there is none */
  get(
    id: string,
    reader: { readonly language: string },
  ): Customer | undefined | Promise<Customer | undefined>
}

export interface SearchResult {
  /** More than `limit` are cut off. */
  readonly customers: readonly Customer[]
  /** `true` if there are customers behind these. */
  readonly more: boolean
}

/** The largest number of customers in an answer. */
const MAX_FOUND = 25
/** The largest number of details of a customer. */
const MAX_DETAILS = 4

export type CustomerDirectory = ReturnType<typeof customerDirectory>

/**
 * The deployment's directory, in the language of the reader. A directory that fails is Problem 503, and never
 * reads as *not found*.
 */
export function customerDirectory(customers: Customers) {
  return {
    async search(text: string, offset: number, language: string): Promise<SearchResult> {
      const { customers: found, more } = await asked(() =>
        customers.search(text, { offset, limit: MAX_FOUND, language }),
      )
      return {
        customers: found.slice(0, MAX_FOUND).map(copyOf),
        more: more || found.length > MAX_FOUND,
      }
    },
    async get(id: string, language: string): Promise<Customer | undefined> {
      const found = await asked(() => customers.get(id, { language }))
      return found && copyOf(found)
    },
  }
}

function asked<T>(ask: () => Promise<T> | T): Promise<T> {
  return orUnavailable('the customers cannot be looked up now', ask)
}

/** Copies member by member, so that the other members of the deployment's object stay here. */
function copyOf({ id, name, email, protected: why, details }: Customer): Customer {
  const shown = Object.entries(details ?? {}).slice(0, MAX_DETAILS)
  return {
    id,
    name,
    email,
    protected: why,
    details: shown.length > 0 ? Object.fromEntries(shown) : undefined,
  }
}
