import {
  type AnyPermit,
  present,
  type StandingRecord,
  unapprovedIn,
} from 'oidc-provider-impersonation-verify/format'
import type { Pause } from '../../../../web/pause-answers.ts'
import type { Said, SupportRecord } from '../../../../web/record-answer.ts'
import { type Permit, pauseAt, permitAt } from '../permit.ts'

const sources = new WeakMap<SupportRecord, Pause | Permit>()

/** The permit or the pause that a record was made of. */
export const sourceOf = (record: SupportRecord) => sources.get(record)

/** What is stored, as a record at a time. */
export function recordAt(stored: AnyPermit, now: number): SupportRecord {
  if (stored.kind === 'standing') return answerOf(stored)
  return stored.kind === 'pause' ? stopOf(pauseAt(stored, now)) : recordOf(permitAt(stored, now))
}

const STATES = { refused: 'declined', expired: 'over' } as const

export function recordOf(permit: Permit): SupportRecord {
  const { state, operator, decisions, revoked, review, ...rest } = permit
  const said: Said[] = decisions.map(({ isGranted, ...each }) => {
    const event: Said['event'] = isGranted ? 'granted' : 'declined'
    return { event, ...each }
  })
  if (revoked) said.push({ event: 'revoked', ...revoked })
  if (review?.at !== undefined) {
    const { by, note } = review
    said.push({ event: 'reviewed', by, at: review.at, ...present({ note }) })
  }
  const known = STATES[state as keyof typeof STATES] ?? state
  const record: SupportRecord = {
    ...{ ...rest, operator, by: operator, said: said.toSorted((a, b) => a.at - b.at) },
    state: known as SupportRecord['state'],
    ...present({ unapproved: unapprovedIn(review?.reason) }),
  }
  sources.set(record, permit)
  return record
}

export function stopOf(pause: Pause): SupportRecord {
  const { resumed, state, ...rest } = pause
  const record: SupportRecord = {
    ...{ ...rest, kind: 'stop', needs: [] },
    state: resumed ? 'lifted' : state === 'expired' ? 'over' : 'stopped',
    said: resumed ? [{ event: 'lifted', ...resumed }] : [],
  }
  sources.set(record, pause)
  return record
}

function answerOf({
  id,
  choice,
  customer,
  requestedAt,
  revoked,
}: StandingRecord): SupportRecord {
  return {
    ...{ id, kind: 'answer', customer, by: customer, requestedAt, needs: [] },
    state: revoked ? 'revoked' : choice,
    said: revoked ? [{ event: 'revoked', ...revoked }] : [],
  }
}
