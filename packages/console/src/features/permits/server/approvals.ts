import { emergencySlot, requestSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  foldRecord,
  isReviewDue,
  type PermitRecord,
  present,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../../../kernel/ids.ts'
import { readable } from '../../../ledger/readable.ts'
import type { PermitsContext } from './context.ts'
import type { Deciders } from './deciders.ts'
import { PermitError } from './errors.ts'
import { noteOf, parseAccountId, parseNote, parseRequest } from './inputs.ts'
import type { Approver, AskHow, PermitRequest, Permits, Saying } from './options.ts'
import { findPause, pausedError } from './pauses.ts'
import { approvalIn, type Permit, permitAt } from './permit.ts'
import { assertNotRefused, assertOtherTicket, findRefusals, refusalIn } from './refusals.ts'
import { askRule } from './rule.ts'
import { aboutOf, assertMayRequest, assertUndecided } from './rules.ts'

type Approvals = Pick<
  Permits,
  'emergency' | 'get' | 'grant' | 'refusals' | 'refuse' | 'request' | 'review' | 'revoke'
>

export interface ApprovalsOptions {
  readonly deciders: Deciders
  /** Whether a person can be named who reviews an emergency. */
  readonly hasApprovers: boolean
  /** Seconds. */
  readonly lapse: number
  readonly window: number
  readonly emergency: number
}

/** Requests of one operator in an hour, whatever became of them. */
const MAX_REQUESTS = 60
const HOUR_MS = 3_600_000

const noSuchPermit = () => new PermitError('not_found', 'there is no such permit')

/** Requests of operators, and the decisions on them. */
export function approvals(context: PermitsContext, options: ApprovalsOptions): Approvals {
  const { decide, now, store, attached, reading, shown } = context
  const { deciders } = options

  async function find(id: string): Promise<PermitRecord> {
    const stored = await reading(() => store.permit(id))
    return approvalIn(readable(stored)) ?? Promise.reject(noSuchPermit())
  }

  /** After the last entry, also where the clock was set back. */
  const timeAfter = (record: PermitRecord) => Math.max(now(), record.lastAt)

  /** @param before as it was read a moment ago: it is not read again, unless it has changed */
  async function change(
    before: PermitRecord,
    by: string,
    entryOf: (record: PermitRecord, time: number) => Pick<AuditEntry, 'event' | 'need' | 'note'>,
  ): Promise<Permit> {
    attached()
    const about = { ...aboutOf(before), by }
    const names = await context.findNames({ event: 'support.granted', timeMs: now(), ...about })
    const record = await decide.decide(before.id, (stored) => {
      const found = approvalIn(stored)
      if (!found) throw noSuchPermit()
      const time = timeAfter(found)
      return { ...entryOf(found, time), timeMs: time, ...about, ...names }
    })
    const found = approvalIn(record)
    if (!found) throw noSuchPermit()
    return shown(found)
  }

  async function decideNeed(id: string, { by, note }: Saying, isGranted: boolean): Promise<Permit> {
    const before = await find(id)
    const need = parseAccountId(by, 'by') === before.customer.id ? 'user' : 'second_person'
    // Approvers are asked in this moment: what was granted before stays.
    if (need === 'second_person') await deciders.assertMay(permitAt(before, now()), by)
    if (isGranted) await assertNotPaused(before.operator.id, before.customer.id)
    return change(before, by, (record, time) => {
      assertUndecided(record, need, time)
      return { event: isGranted ? 'support.granted' : 'support.declined', need, ...noteOf(note) }
    })
  }

  /** @throws PermitError */
  async function assertNotPaused(operator: string, customer: string): Promise<void> {
    const pause = await reading(() => findPause(store, { operator, customer }))
    if (pause) throw pausedError(pause)
  }

  async function open(
    event: 'support.emergency' | 'support.requested',
    request: PermitRequest,
    window: number,
    how: AskHow = {},
  ): Promise<Permit> {
    attached()
    const { facts, written } = parseRequest(request)
    const { customer, operator, application, resource, scope } = facts
    const isEmergency = event === 'support.emergency'
    if (!isEmergency) await assertNotTooMany(operator)
    await assertNotPaused(operator, customer)
    const { needs, emergency } = await askRule(context, { ...request, ...facts }, how)
    if (isEmergency && !emergency) {
      throw new PermitError('access_denied', 'the rule allows no emergency here')
    }
    if (isEmergency && !options.hasApprovers) {
      const message = 'an emergency needs the option approvers of createPermits: who reviews it'
      throw new PermitError('no_approver', message)
    }
    const id = newId()
    const entryAt = (time: number, declined?: readonly string[]): AuditEntry => ({
      ...{ event, timeMs: time, by: operator, permit: id, userId: customer },
      ...{ mayAct: { sub: operator, clientId: application }, resource, scope, context: written },
      terms: {
        ...{ needs, for: window },
        ...(isEmergency ? present({ declined }) : { lapsesAt: time + options.lapse * 1000 }),
      },
    })
    const asked = entryAt(now())
    // It is said at once where there is no person who could decide. An emergency is reviewed by one.
    let somebody: readonly Approver[] | undefined
    if (isEmergency || needs.includes('second_person')) {
      const planned = approvalIn(foldRecord(undefined, asked))
      somebody = planned && (await deciders.assertSomebody(permitAt(planned, now())))
    }
    const names = await context.findNames(asked)
    const refusals = await findRefusals(context, facts)
    if (isEmergency) assertOtherTicket(refusals, written.ticketId, now())
    else assertNotRefused(refusals, now())
    const ids = refusals.map(({ permit }) => permit.id)
    const declined = ids.length > 0 ? ids : undefined
    const slot = isEmergency ? emergencySlot(operator) : requestSlot(facts)
    const record = await decide.open(slot, async (newest, stored) => {
      const holder = approvalIn(newest)
      const time = holder ? timeAfter(holder) : now()
      if (isEmergency) assertReviewed(holder, stored, time)
      else {
        // In here, requests of this process come one after the other.
        await assertNotTooMany(operator)
        assertMayRequest(holder, time)
        // It may have been refused a moment ago.
        const latest = holder && refusalIn(permitAt(holder, time), time)
        if (latest) assertNotRefused([latest], time)
      }
      const isAsked = needs.includes('user')
      const mark = isEmergency
        ? context.markFor('emergency')
        : isAsked
          ? context.markFor('asked')
          : {}
      return { ...entryAt(time, declined), ...names, ...mark }
    })
    const permit = shown(approvalIn(record) ?? (await Promise.reject(noSuchPermit())))
    deciders.keep(permit, somebody)
    return permit
  }

  async function assertNotTooMany(operator: string): Promise<void> {
    const page = { limit: MAX_REQUESTS }
    const { permits } = await reading(() => store.permits({ operator }, page))
    const { at } = permits[MAX_REQUESTS - 1] ?? { at: 0 }
    const retryAfter = Math.ceil((at + HOUR_MS - now()) / 1000)
    if (retryAfter <= 0) return
    const message = `you have asked ${MAX_REQUESTS} times in an hour`
    throw new PermitError('temporarily_unavailable', message, { statusCode: 429, retryAfter })
  }

  return {
    request: (request, how) => open('support.requested', request, options.window, how),
    emergency: (request, how) => open('support.emergency', request, options.emergency, how),
    grant: (id, saying) => decideNeed(id, saying, true),
    refuse: (id, saying) => decideNeed(id, saying, false),
    async refusals(permit) {
      const { customer, operator, application } = permit
      const facts = { customer: customer.id, operator: operator.id, application }
      const found = await findRefusals(context, facts)
      return found.filter((each) => each.permit.id !== permit.id)
    },
    async revoke(id, { by, note }) {
      const before = await find(id)
      const isOwn = [before.customer.id, before.operator.id].includes(by)
      if (!isOwn) await deciders.assertMay(permitAt(before, now()), parseAccountId(by, 'by'))
      const permit = await change(before, by, (record, time) => {
        // By what is stored: a clock that is ahead must not keep it.
        if (record.state !== 'granted' && record.state !== 'requested') {
          throw new PermitError('decided', 'it is over already', { permit: permitAt(record, time) })
        }
        return { event: 'support.revoked', ...noteOf(note) }
      })
      await context.end(permit)
      return permit
    },
    async review(id, { by, note }) {
      const before = await find(id)
      await deciders.assertMay(permitAt(before, now()), parseAccountId(by, 'by'))
      const written = parseNote(note)
      return change(before, by, (record, time) => {
        const permit = permitAt(record, time)
        if (!isReviewDue(permit)) {
          throw new PermitError('decided', 'there is nothing to review', { permit })
        }
        return { event: 'support.reviewed', note: written }
      })
    },
    async get(id) {
      const stored = await reading(() => store.permit(id))
      const found = approvalIn(readable(stored))
      return found && permitAt(found, now())
    },
  }
}

/** What cannot be read is no: also an emergency that may have been looked at. */
function assertReviewed(
  holder: PermitRecord | undefined,
  stored: StoredRecord | undefined,
  time: number,
): void {
  const permit = holder && permitAt(holder, time)
  if (permit ? isReviewDue(permit) : stored?.isReviewDue) {
    throw new PermitError('review_due', 'your last emergency has to be reviewed first', { permit })
  }
}
