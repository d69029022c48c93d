// Facts about this business for the support console: roles, customers, the applications in which
// operators act, and the shop's names for what they did. app.ts mounts it.
import type { Account } from 'oidc-provider'
import type {
  Alarm,
  Customer,
  Customers,
  Role,
  UseInWords,
} from 'oidc-provider-impersonation-console'
import { escapeControls } from 'oidc-provider-impersonation-verify/format'
import { type Person, people } from './accounts.ts'
import { DIRECTORY_WORDS, REQUEST_WORDS } from './demo/words/console.ts'

/** Asked at every request: a role that is taken away here is gone at once. */
export function role({ accountId }: Account): Role | undefined {
  const found = people.find(accountId)?.role
  return found === 'customer' ? undefined : found
}

/** The people of data protection. They act as nobody. One asks to erase, and another one confirms. */
const DATA_PROTECTION = ['ada', 'juno']
export const mayErase = ({ accountId }: Account) => DATA_PROTECTION.includes(accountId)

/** The leads, who decide on requests for an approval, and review emergencies. */
export const approvers = () => people.all().filter((person) => person.role === 'lead')

/** The directory that operators search. Yours is a query: of a database, or of a CRM. */
export const customers: Customers = {
  search(text, { offset, limit, language }) {
    const words = text.toLowerCase().split(/\s+/)
    const found = people.all().filter((person) => {
      const known = [person.id, person.name, person.email, person.number, person.city]
      return words.every((word) => known.some((value) => value?.toLowerCase().includes(word)))
    })
    const page = found.slice(offset, offset + limit)
    return {
      customers: page.map((person) => customerOf(person, language)),
      more: found.length > offset + limit,
    }
  },
  get(id, { language }) {
    const found = people.find(id)
    return found && customerOf(found, language)
  },
}

function customerOf(person: Person, language: string): Customer {
  const { id, name, email, number, city, isProtected, closedBy } = person
  const words = DIRECTORY_WORDS[language === 'de' ? 'de' : 'en']
  // The policy of the provider refuses it, too: this says so before it is tried.
  if (closedBy !== undefined) return { id, name, email, protected: words.closed(closedBy) }
  if (isProtected) return { id, name, email, protected: words.colleague(name) }
  const details = { ...(number && { [words.number]: number }), ...(city && { [words.city]: city }) }
  return { id, name, email, details }
}

/** For the account page: what a request was for the customer. */
export const describe: UseInWords = ({ method, path, status = 500, refused }, language) => {
  const request = REQUEST_WORDS.find(({ is }) => is.test(`${method} ${path}`))
  const words = request?.[refused || status >= 400 ? 'not' : 'done']
  return language === 'de' ? words?.de : words?.en
}

/** Yours sends a message to a chat, or pages the lead on duty. */
export function onAlarm({ kind, impersonation, url }: Alarm): void {
  const who = `${impersonation.operator?.id ?? 'no operator'} as ${impersonation.customer?.id}`
  // An id may have characters that a terminal obeys, or that turn the direction of writing.
  console.log(escapeControls(`alarm: ${kind}, ${who}: ${url}`))
}
