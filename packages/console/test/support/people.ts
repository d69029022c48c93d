import type { Customer, Customers, Role } from 'oidc-provider-impersonation-console'

/** The people of the support, and their roles. */
export const STAFF: Readonly<Record<string, { readonly name: string; readonly role: Role }>> = {
  olivia: { name: 'Olivia Okafor', role: 'operator' },
  oscar: { name: 'Oscar Öhman', role: 'operator' },
  grace: { name: 'Grace Lindqvist', role: 'lead' },
  ada: { name: 'Ada Byron', role: 'auditor' },
}

/** Names that an attacker would choose. */
export const HOSTILE: Readonly<Record<string, string>> = {
  html: '<img src=x onerror="document.title=\'owned\'">',
  script: '</script><script>document.title="owned"</script>',
  // U+202E turns the direction of writing.
  backwards: 'Sam \u202Egnitirw fo noitcerid',
  long: `Wolfeschlegelsteinhausenbergerdorff ${'Bartholomew '.repeat(20)}the Third`,
  unbroken: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'.repeat(3),
  formula: '=HYPERLINK("https://evil.example","Click")',
  lines: 'Line\r\nbreak,"quoted"; and\ttab',
  arabic: 'ليلى حداد',
  emoji: '👩🏽‍🚒 Fire 🇺🇳',
}

const GIVEN = ['Amir', 'Bea', 'Chen', 'Dara', 'Elif', 'Femi', 'Gita', 'Hugo', 'Ines', 'Jonas']
const FAMILY = ['Ng', 'Okoye', 'Petrov', 'Quist', 'Rossi', 'Silva', 'Tanaka', 'Ueda', 'Varga']

/** The people whom operators can find. */
export const CUSTOMERS: readonly Customer[] = [
  {
    id: 'alice',
    name: 'Alice Ng',
    email: 'alice@example.com',
    details: { City: 'Lisbon', Customer: 'since 2019' },
  },
  { id: 'bob', name: 'Bob Marsh', email: 'bob@example.com', details: { City: 'Leeds' } },
  { id: 'carla', name: 'Carla Nunes', email: 'carla@example.com' },
  {
    id: 'paula',
    name: 'Paula Protected',
    email: 'paula@example.com',
    protected: 'Paula works here: support does not act as colleagues.',
  },
  ...GIVEN.flatMap((given, index) =>
    FAMILY.slice(index % 5, (index % 5) + 4).map((family) => ({
      id: `${given}.${family}`.toLowerCase(),
      name: `${given} ${family}`,
      email: `${given}.${family}@example.com`.toLowerCase(),
      details: { City: ['Oslo', 'Turin', 'Wien'][index % 3] ?? 'Oslo' },
    })),
  ),
  ...Object.entries(HOSTILE).map(([id, name]) => ({
    id: `hostile-${id}`,
    name,
    email: `${id}@hostile.example`,
  })),
]

const BY_ID = new Map(CUSTOMERS.map((customer) => [customer.id, customer]))

/** Searches names, ids, e-mail addresses and cities. */
export const directory = {
  search(text, { offset, limit }) {
    const wanted = text.toLowerCase()
    const found = CUSTOMERS.filter(({ id, name, email = '', details = {} }) =>
      [id, name, email, ...Object.values(details)].some((value) =>
        value.toLowerCase().includes(wanted),
      ),
    )
    return {
      customers: found.slice(offset, offset + limit),
      more: found.length > offset + limit,
    }
  },
  get: (id) => BY_ID.get(id),
} satisfies Customers

export function isKnown(id: string) {
  return BY_ID.has(id) || Object.hasOwn(STAFF, id)
}

/** A customer who reads French. */
const LOCALES: Readonly<Record<string, string>> = { carla: 'fr-CA' }

/** `name`, `email` and `locale` of a person. */
export function claimsOf(id: string): { name: string; email: string; locale?: string | undefined } {
  const customer = BY_ID.get(id)
  const name = customer?.name ?? STAFF[id]?.name ?? id
  return { name, email: customer?.email ?? `${id}@support.example`, locale: LOCALES[id] }
}
