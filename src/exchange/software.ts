import { type Account, type Client, errors } from 'oidc-provider'
import { asksClient, isPublic } from '../policy/clients.ts'
import type { ClientRule } from '../public/options.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { warn } from '../shared/warn.ts'

const OPTION_PATH = 'features.impersonation.actorToken.clients'
/** How many clients are remembered whose id was looked up among the accounts. */
const MAX_CLIENTS_LOOKED_UP = 1000

type FindAccount = (id: string) => Promise<Account | undefined>

/** Says whether the client that exchanges is itself an actor: answers its id then. I16. */
export type SoftwareFinder = (
  client: Client,
  findAccount: FindAccount,
) => Promise<string | undefined>

/**
 * @throws errors.UnauthorizedClient for a client that is named and does not authenticate: it would
 * act, and its name would prove nothing
 * @throws Error where the deployment's function fails or answers no boolean (I9)
 */
export function softwareFinder(rule: ClientRule): SoftwareFinder {
  const isNamed = asksClient(rule, OPTION_PATH)
  const lookedUp = new BoundedMap<string, true>(MAX_CLIENTS_LOOKED_UP)

  return async (client, findAccount) => {
    if (!(await isNamed(client))) return undefined
    const { clientId } = client
    if (isPublic(client)) {
      const cause = new Error(`${OPTION_PATH} names ${clientId}, which does not authenticate`)
      throw new errors.UnauthorizedClient('the client acts, and does not authenticate', { cause })
    }
    if (!lookedUp.get(clientId)) {
      lookedUp.set(clientId, true)
      // For the warning alone.
      warnOfNamesakes([clientId], findAccount).catch(() => {})
    }
    return clientId
  }
}

/**
 * Warns of clients whose id is an account's as well: `act` tells them apart by `client_id`, people may
 * not.
 */
export async function warnOfNamesakes(
  clients: ClientRule,
  findAccount: FindAccount,
): Promise<void> {
  if (typeof clients === 'function') return
  for (const id of clients) {
    if ((await findAccount(id))?.accountId !== id) continue
    const message = `${OPTION_PATH}: ${id} is the id of a client and of an account; give one of them another id`
    warn('NAMESAKE', message)
  }
}
