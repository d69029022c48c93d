import { BoundedMap, endsWithin } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  isDeliveryEvent,
  type Named,
  present,
} from 'oidc-provider-impersonation-verify/format'

/** Names an account. What it throws, and `undefined`, leave the name away. */
export type NameOf = (accountId: string) => Named | undefined | Promise<Named | undefined>

/** Time limit of the directory for a name, in milliseconds: answers wait for their entries. */
const DIRECTORY_TIMEOUT_MS = 500
/** Time in which a directory that took too long is not asked again, in milliseconds. */
const DIRECTORY_PAUSE_MS = 10_000
/** Time for which a name is known, in milliseconds, and the number of names. */
const NAME_KNOWN_MS = 60_000
const MAX_NAMES_KNOWN = 1000
/** The longest name and e-mail address, in UTF-16 code units. More is cut off. */
const MAX_NAME_LENGTH = 320

/** Returns the entry with the names of customer, operator, the person of `by`, and another person who ended it. Never rejects. */
export type AddNames = (entry: AuditEntry) => Promise<AuditEntry>

/** A directory that fails or is slow leaves names away. It never delays an entry for longer. */
export function naming(
  nameOf: NameOf | undefined,
  timeoutMs = DIRECTORY_TIMEOUT_MS,
  rest = DIRECTORY_PAUSE_MS,
): AddNames {
  if (!nameOf) return async (entry) => entry
  const known = new BoundedMap<string, { named: Promise<Named | undefined>; at: number }>(
    MAX_NAMES_KNOWN,
  )
  let restsUntil = 0

  const know = (id: string, named: Promise<Named | undefined>) =>
    known.set(id, { named, at: performance.now() })

  async function lookUp(id: string): Promise<Named | undefined> {
    const before = known.get(id)
    const now = performance.now()
    if (before && now - before.at < NAME_KNOWN_MS) return before.named
    if (now < restsUntil) return undefined
    const named = ask(id)
    know(id, named)
    return named
  }

  async function ask(id: string): Promise<Named | undefined> {
    const named = (async () => plainText(await nameOf?.(id)))()
    try {
      if (await endsWithin(timeoutMs, named)) return await named
      restsUntil = performance.now() + rest
      // Too late for this entry, and in time for the next.
      void named.then(() => know(id, named)).catch(() => {})
    } catch {
      // The entry goes without a name.
    }
    known.delete(id)
    return undefined
  }

  return async (entry) => {
    // Its row has the names.
    if (isDeliveryEvent(entry.event)) return entry
    const actorId = entry.actor?.sub ?? entry.mayAct?.sub
    const byId = entry.by ?? otherEnder(entry, actorId)
    const [user, actor, by] = await Promise.all(
      [entry.userId, actorId, byId].map((id) => (id === undefined ? undefined : lookUp(id))),
    )
    return user || actor || by ? { ...entry, names: present({ user, actor, by }) } : entry
  }
}

/** The person who ended it, if neither the customer nor the operator did. */
function otherEnder({ end, userId }: AuditEntry, actorId: string | undefined): string | undefined {
  const by = end?.by?.sub
  return by === userId || by === actorId ? undefined : by
}

/** Only the two members, as text that is not too long: the directory is code of the deployment. */
function plainText(named: unknown): Named | undefined {
  if (typeof named !== 'object' || named === null) return undefined
  const name = 'name' in named ? textOf(named.name) : undefined
  const email = 'email' in named ? textOf(named.email) : undefined
  if (name === undefined && email === undefined) return undefined
  return present({ name, email })
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.slice(0, MAX_NAME_LENGTH).toWellFormed()
}
