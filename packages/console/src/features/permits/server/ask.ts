import { emergencySlot, requestSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditRecord,
  foldRecord,
  isPermit,
  isReviewDue,
  type PermitRecord,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { newId } from '../../../kernel/ids.ts'
import { objectOf, readBy, wholeNumber } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import { PermitError } from '../../../records/errors.ts'
import { stoppedError } from '../../../records/in-force.ts'
import { accountId, invalidInput, note, saidText } from '../../../records/inputs.ts'
import { type Permit, recordAt } from '../../../records/record-at.ts'
import { noSuchRecord, type Records } from '../../../records/records.ts'
import type { Approver } from '../../../records/who.ts'
import type { AskHow, PermitRequest } from './options.ts'
import { assertNotRefused, assertOtherTicket, findRefusals, refusalIn } from './refusals.ts'
import { askRule } from './rule.ts'

/** Requests of one operator in an hour, whatever became of them. */
const MAX_REQUESTS = 60
const HOUR_MS = 3_600_000
/** How long an emergency lasts, in seconds. */
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

  async function assertMayAsk(operator: string): Promise<void> {
    const page = { limit: MAX_REQUESTS }
    const { permits } = await reading(() => store.permits({ operator }, page))
    const { at } = permits[MAX_REQUESTS - 1] ?? { at: 0 }
    const retryAfter = Math.ceil((at + HOUR_MS - now()) / 1000)
    if (retryAfter <= 0) return
    const message = `you have asked ${MAX_REQUESTS} times in an hour`
    throw new PermitError('temporarily_unavailable', message, { statusCode: 429, retryAfter })
  }

  /** What the rule says of it, where nothing is in the way. */
  async function prepare(event: Beginning, asked: PermitRequest, how: AskHow) {
    records.attached()
    const { context: _, ...rest } = asked
    const { ticket, reason, why, duration, ...facts } = readBy(
      REQUEST,
      rest,
      invalidInput,
      'request',
    )
    const isEmergency = event === 'support.emergency'
    if (isEmergency && why === undefined) throw invalidInput('request.why is required')
    if (!isEmergency) await assertMayAsk(facts.operator)
    const stop = await records.findStop(facts.operator, facts.customer)
    if (stop) throw stoppedError(stop)
    const rule = await askRule(records, issueAs, { ...asked, ...facts }, how)
    if (isEmergency) assertEmergency(rule.emergency)
    const { customer, operator, application, resource, scope } = facts
    const entry: AuditEntry = {
      event,
      timeMs: now(),
      by: operator,
      permit: newId(),
      userId: customer,
      mayAct: { sub: operator, clientId: application },
      resource,
      scope,
      context: { ticketId: ticket, reason, why: isEmergency ? why : undefined, duration },
    }
    return { facts, ticket, needs: rule.needs, entry, isEmergency }
  }

  function assertEmergency(isAllowed: boolean): void {
    if (!isAllowed) throw new PermitError('access_denied', 'the rule allows no emergency here')
    if (hasApprovers) return
    const message = 'an emergency needs the option approvers of createPermits: who reviews it'
    throw new PermitError('no_approver', message)
  }

  async function open(event: Beginning, request: PermitRequest, how: AskHow = {}): Promise<Permit> {
    const { facts, ticket, needs, entry, isEmergency } = await prepare(event, request, how)
    const entryAt = (timeMs: number, declined?: readonly string[]): AuditEntry => {
      const lapsesAt = isEmergency ? undefined : timeMs + lapse * 1000
      const terms = { needs, for: isEmergency ? EMERGENCY_S : window, lapsesAt, declined }
      return { ...entry, timeMs, terms }
    }
    const planned = asPermit(foldRecord(undefined, entryAt(now())))
    // It is said at once where there is no person who could decide. An emergency is reviewed by one.
    let somebody: readonly Approver[] | undefined
    if (isEmergency || needs.includes('second_person')) {
      somebody = await who.assertSomebody(recordAt(planned, now()))
    }
    const refusals = await findRefusals(records, facts)
    if (isEmergency) assertOtherTicket(refusals, ticket, now())
    else assertNotRefused(refusals, now())
    const ids = refusals.map(({ permit }) => permit.id)
    const declined = isEmergency && ids.length > 0 ? ids : undefined
    const slot = isEmergency ? emergencySlot(facts.operator) : requestSlot({ ...facts, ticket })
    const record = await records.begin(slot, async (newest, stored) => {
      const holder = isPermit(newest) ? newest : undefined
      // After the last entry, also where the clock was set back.
      const time = Math.max(now(), holder?.lastAt ?? 0)
      if (isEmergency) assertReviewed(holder, stored, time)
      else {
        // In here, requests of this process come one after the other.
        await assertMayAsk(facts.operator)
        assertMayRequest(holder, time)
      }
      const isTold = isEmergency || needs.includes('user')
      const toTell = isTold ? records.toTell(isEmergency ? 'emergency' : 'asked') : undefined
      return { ...entryAt(time, declined), toTell }
    })
    const permit = recordAt(asPermit(record), now())
    who.keep(permit, somebody)
    return permit
  }

  return {
    request: (request: PermitRequest, how?: AskHow) => open('support.requested', request, how),
    emergency: (request: PermitRequest & { readonly why: string }, how?: AskHow) =>
      open('support.emergency', request, how),
  }
}

type Beginning = 'support.emergency' | 'support.requested'

function asPermit(record: AuditRecord): PermitRecord {
  if (isPermit(record)) return record
  throw noSuchRecord()
}

/** @throws PermitError where the newest permit of the same people, application and ticket is open, or was refused a moment ago */
function assertMayRequest(holder: PermitRecord | undefined, now: number): void {
  const permit = holder && recordAt(holder, now)
  if (permit?.state === 'requested') {
    throw new PermitError('already_requested', 'this is asked for already', { permit })
  }
  const refusal = permit && refusalIn(permit, now)
  if (refusal) assertNotRefused([refusal], now)
}

/** What cannot be read is no: also an emergency that may have been looked at. */
function assertReviewed(
  holder: PermitRecord | undefined,
  stored: StoredRecord | undefined,
  time: number,
): void {
  const permit = holder && recordAt(holder, time)
  if (permit ? isReviewDue(permit) : stored?.isReviewDue) {
    throw new PermitError('review_due', 'your last emergency has to be reviewed first', { permit })
  }
}
