import type { Provider } from 'oidc-provider-impersonation'
import { findAccount } from 'oidc-provider-impersonation/siblings'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { anyObject, flag, objectOf, readBy, type SchemasOf, text } from '../../kernel/input.ts'
import { unlessTrouble } from '../../kernel/log-line.ts'
import { operatorLimit } from '../operator-limit.ts'
import type { Settings } from '../settings.ts'
import { findRole } from '../sign-in/roles.ts'

/** The largest number of recorded refusals of one account: of staff in a minute, of others in a day. */
const MAX_RECORDED = 20
/** The largest number of all people who are no support staff, in a day: anyone can have many accounts. */
const MAX_OF_STRANGERS = 1000
const MINUTE_S = 60
const DAY_S = 86_400

/** A request to act that was refused before the provider received it. */
export interface Refusal {
  /** The account id of the operator. */
  readonly operator: string
  /** The `error` of the answer. */
  readonly error: string
  /** The text that the operator reads. */
  readonly reason: string
  /** `true` if it protects a person whom the directory of the deployment protects. */
  readonly protects?: true | undefined
  /** The request, if it could be read. */
  readonly request?: Pick<AuditEntry, 'context' | 'mayAct' | 'scope' | 'userId'> | undefined
}

/**
 * Records a refusal. A signed-in person can cause any number of refusals, with any text. So the console
 * asks `role` itself: of support staff, at most 20 refusals a minute are recorded, as they are. Of a
 * person without a role (any customer, perhaps) at most 20 a day, of all of them 1,000, and none of
 * their words: who it was, and whom they named, where there is such an account. Where the role cannot
 * be looked up, the person counts as one without.
 *
 * @throws an `Error` with `name` 'Problem', `statusCode` 429, `error` and `retryAfter` (seconds)
 * where there were too many refusals: such a refusal is not recorded. TypeError that names the member
 * that is wrong
 */
export type RecordRefusal = (refusal: Refusal) => Promise<void>

export type Refusals = ReturnType<typeof refusalRecorder>

/** Records what the console and backends of the deployment refuse. */
export function refusalRecorder(
  provider: Provider,
  settings: Pick<Settings, 'role'>,
  record: (entry: AuditEntry) => Promise<void>,
) {
  const what = 'had a refusal recorded'
  const countStaff = operatorLimit(MAX_RECORDED, MINUTE_S, what)
  const countStranger = operatorLimit(MAX_RECORDED, DAY_S, what)
  const countAll = operatorLimit(MAX_OF_STRANGERS, DAY_S, what)

  /**
   * Records a refusal. That of a person who is no support staff must not become a row of the customer whom they
   * name, who would read it on the account page, and it keeps nothing that they wrote.
   */
  async function keep(refusal: Refusal, isOfStaff: boolean): Promise<void> {
    const { operator: sub, error, reason, protects, request } = refusal
    const entry = { event: 'support.refused', timeMs: Date.now(), by: sub, actor: { sub } } as const
    if (isOfStaff) {
      await countStaff(sub)
      void record({ ...entry, denial: { stage: 'issue', error, reason }, protects, ...request })
      return
    }
    await countStranger(sub)
    await countAll('people who are no support staff')
    const userId = request?.userId
    // An account that cannot be looked up is not known.
    const isKnown = userId && (await findAccount(provider, userId).catch(() => undefined))
    const denial = { stage: 'issue', error: 'access_denied', reason: 'no support staff' } as const
    void record({ ...entry, denial, ...(isKnown && { context: { userId } }) })
  }

  /** Records a refusal of a backend, which may take any signed-in person for an operator. */
  const ofBackend: RecordRefusal = async (given) => {
    const refusal = readBy(REFUSAL, given, undefined, 'refusal')
    const role = await unlessTrouble(
      'a refusal is recorded without what was asked for',
      async () => {
        const account = await findAccount(provider, refusal.operator)
        return account && findRole(account, settings)
      },
    )
    await keep(refusal, role !== undefined)
  }

  return { keep, ofBackend }
}

const name = text(1, 1024)
const words = text(0, 65_536)

const REFUSAL = objectOf({
  operator: name,
  error: words,
  reason: words,
  protects: v.optional(flag),
  request: v.optional(
    objectOf({
      context: v.optional(anyObject),
      mayAct: v.optional(objectOf({ sub: v.optional(name), clientId: v.optional(name) })),
      scope: v.optional(words),
      userId: v.optional(words),
    }),
  ),
} satisfies SchemasOf<Refusal>)
