import type { Need } from 'oidc-provider-impersonation'
import {
  type AuditRecord,
  foldRecord,
  isPermit,
  isReviewDue,
  isSameTicket,
  present,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { newId } from '../../../kernel/ids.ts'
import { objectOf, readBy, wholeNumber } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import { noSuchRecord, PermitError } from '../../../records/errors.ts'
import { accountId, invalidInput, note, saidText } from '../../../records/inputs.ts'
import { permitAt } from '../../../records/record-at.ts'
import type { Records } from '../../../records/records.ts'
import { assertNotRefused, refusalsIn } from '../../../records/refusals.ts'
import type { ActBody } from '../../../web/answers.ts'
import type { AskedFor } from '../../../web/parts.ts'
import type { AskHow, PermitRequest } from './options.ts'
import { askRule } from './rule.ts'

/** Requests of one operator in an hour, whatever became of them. */
const MAX_REQUESTS = 60
const HOUR_MS = 3_600_000
/** The length of an emergency, in seconds. */
const EMERGENCY_S = 600

const REQUEST = v.pipe(
  objectOf({
    customer: accountId,
    operator: accountId,
    application: saidText(MAX_ID_LENGTH),
    resource: saidText(2048),
    scope: saidText(2048),
    ticket: saidText(MAX_ID_LENGTH),
    reason: note,
    why: v.optional(note),
    /** Seconds. */
    duration: v.optional(wholeNumber(1)),
  }),
  v.check(({ customer, operator }) => customer !== operator, 'has one person twice'),
)

type Beginning = 'emergency' | 'requested'

/** A request as the provider gets it, with all that a permit is bound to. */
type Bound = Pick<AskedFor['request'], 'context' | 'mayAct' | 'resource' | 'scope' | 'userId'>

/** The words of the operator. */
type AskedWords = Pick<ActBody, 'duration' | 'reason' | 'ticketId'> & {
  readonly why?: string | undefined
}

/** Reads a request of code. */
export function parseRequest({ context, ...given }: PermitRequest): [Bound, AskedWords] {
  const asked = readBy(REQUEST, given, invalidInput, 'request')
  const { customer, operator, application, resource, scope, ticket: ticketId, why, ...rest } = asked
  const words = { ticketId, ...rest }
  const mayAct = { sub: operator, clientId: application }
  const bound = { userId: customer, mayAct, resource, scope, context: context ?? present(words) }
  return [bound, { ...words, why }]
}

/**
 * Requests of operators, and emergencies.
 *
 * @param hasApprovers whether a person can be named who reviews an emergency
 * @param times seconds
 */
export function asking(
  records: Records,
  hasApprovers: boolean,
  issueAs: () => string,
  { lapse, window }: { readonly lapse: number; readonly window: number },
) {
  const { store, who, now, reading } = records

  async function assertMayAsk(operator: string) {
    const page = { limit: MAX_REQUESTS }
    const { permits } = await reading(() => store.permits({ operator }, page))
    const { at } = permits[MAX_REQUESTS - 1] ?? { at: 0 }
    const retryAfter = Math.ceil((at + HOUR_MS - now()) / 1000)
    if (retryAfter <= 0) return
    const message = `you have asked ${MAX_REQUESTS} times in an hour`
    throw new PermitError('temporarily_unavailable', message, { statusCode: 429, retryAfter })
  }

  /** The first entry of a request. */
  function entryOf(
    kind: Beginning,
    { userId, mayAct, resource, scope }: Bound,
    { ticketId, reason, duration, why }: AskedWords,
    needs: readonly Need[],
    declined?: readonly string[],
  ) {
    const timeMs = now()
    const terms =
      kind === 'emergency'
        ? { for: EMERGENCY_S, declined }
        : { for: window, lapsesAt: timeMs + lapse * 1000 }
    return {
      event: `support.${kind}`,
      timeMs,
      permit: newId(),
      by: mayAct.sub,
      userId,
      mayAct,
      resource,
      scope,
      context: { ticketId, reason, duration, why: kind === 'emergency' ? why : undefined },
      terms: { needs, ...terms },
    } as const
  }

  async function open(kind: Beginning, request: Bound, words: AskedWords, how: AskHow = {}) {
    records.attached()
    const { userId: customer, mayAct } = request
    const isEmergency = kind === 'emergency'
    if (isEmergency && words.why === undefined) throw invalidInput('request.why is required')
    if (!isEmergency) await assertMayAsk(mayAct.sub)
    await records.assertNotStopped(mayAct.sub, customer)
    const { needs, emergency } = await askRule(records, issueAs, request, how)
    if (isEmergency && !emergency) {
      throw new PermitError('access_denied', 'the rule allows no emergency here')
    }
    if (isEmergency && !hasApprovers) {
      const message = 'an emergency needs the option approvers of createPermits: who reviews it'
      throw new PermitError('no_approver', message)
    }
    const filter = { customer, operator: mayAct.sub, state: 'declined', notOverAt: now() } as const
    const refusals = refusalsIn(await records.list(filter), mayAct.clientId, now())
    assertNotRefused(
      refusals,
      (each) =>
        isEmergency ? isSameTicket(each.record.ticket, words.ticketId) : each.isByCustomer,
      now(),
    )
    const declined = refusals.length > 0 ? refusals.map(({ record }) => record.id) : undefined
    const entry = entryOf(kind, request, words, needs, declined)
    // It is said at once if there is no person who could decide. An emergency is reviewed by one.
    if (isEmergency || needs.includes('second_person')) {
      const approvers = await who.approvers(foldRecord(undefined, entry))
      if (approvers?.length === 0) {
        throw new PermitError('no_approver', 'there is no person who may decide on this')
      }
    }
    const isTold = isEmergency || needs.includes('user')
    const toTell = isTold ? records.toTell(isEmergency ? 'emergency' : 'asked') : undefined
    const { record } = await records.begin({ ...entry, toTell }, async (holder, at, stored) => {
      if (isEmergency) assertReviewed(holder, stored, at)
      else {
        // In here, requests of this process come one after the other.
        await assertMayAsk(mayAct.sub)
        assertMayRequest(holder, at)
      }
      return undefined
    })
    if (isPermit(record)) return record
    throw noSuchRecord()
  }

  return {
    open,
    /** Finds who could decide on a request that nobody has stored. */
    findDeciders: (request: Bound, words: AskedWords, needs: readonly Need[]) =>
      who.find(foldRecord(undefined, entryOf('requested', request, words, needs))),
  }
}

/** @throws PermitError if the newest permit of the same people, application and ticket is open, or was refused a moment ago */
function assertMayRequest(holder: AuditRecord | undefined, now: number) {
  const permit = permitAt(holder, now)
  if (permit?.state === 'requested') {
    throw new PermitError('already_requested', 'this is asked for already', { permit })
  }
  const refusals = refusalsIn([holder], holder?.application, now)
  assertNotRefused(refusals, ({ isByCustomer }) => isByCustomer, now)
}

/** An emergency that cannot be read is no, also if it may have been looked at. */
function assertReviewed(
  holder: AuditRecord | undefined,
  stored: StoredRecord | undefined,
  now: number,
) {
  if (!(holder ? isReviewDue(holder) : stored?.isReviewDue)) return
  const permit = permitAt(holder, now)
  throw new PermitError('review_due', 'your last emergency has to be reviewed first', { permit })
}
