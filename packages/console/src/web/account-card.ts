import {
  type AuditPerson,
  type AuditRow,
  endingOf,
  fill,
  outcomeOf,
  overAt,
} from 'oidc-provider-impersonation-verify/format'
import type { Plural } from '../kernel/sentence.ts'
import type { FoundRow } from '../ledger/store.ts'
import { applicationName, canChange } from './applications.ts'
import type { WhatWasDone } from './done.ts'
import { type At, counted } from './kit/at.ts'
import type { CustomerCall } from './parts.ts'
import type { Words } from './words/words.ts'

/** A time that somebody acted as the customer; in a mail, all times for a ticket. */
export type AccountImpersonation = ReturnType<typeof describeTicket> & {
  /** The time at which another person lifted what the objection began. */
  readonly lookedIntoAt?: number | undefined
}

// Code below copies member by member, so that internal members stay internal, also later ones.

/** The reader, and the time of reading. */
type CardCall = Pick<CustomerCall, 'language' | 'now' | 'settings'>

/**
 * Rows of the audit for one ticket, for the customer.
 *
 * @param rows the first one that started comes first
 */
export function describeTicket(
  rows: readonly [FoundRow, ...FoundRow[]],
  done: WhatWasDone,
  { language, now, settings: { applications } }: CardCall,
) {
  const [first] = rows
  // A running one is over last.
  const last = rows.reduce((one, row) => (overAt(row) > overAt(one) ? row : one))
  const ending = endingOf(last)
  const state = ending === 'left' ? ending : outcomeOf(last, now())
  const isOpen = state === 'waiting' || state === 'running'
  const started = rows.filter(({ startedAt }) => startedAt !== undefined)
  const names = rows.map((row) => applicationName(applications, row.application, language))
  const changes = started.flatMap(
    (row) => canChange(applications, row.application, row.scope) ?? [],
  )
  return {
    id: last.id,
    state,
    at: first.at,
    replays: rows.reduce((sum, { replays }) => sum + replays, 0),
    ...done,
    operator: operatorOf(last.operator),
    /** The client id of the software that acts, for the operator or on its own. */
    software: last.software,
    // One after a refusal counts for all.
    unapproved: rows.flatMap(({ unapproved }) => unapproved ?? []).toSorted()[0],
    isReviewDue: rows.some(({ isReviewDue }) => isReviewDue) || undefined,
    ticket: last.ticket,
    /** The name of the application, or its client id. */
    application: [...new Set(names.filter(Boolean))].join(', ') || undefined,
    /** Absent if it never started. */
    canChange: changes.length > 0 ? changes.includes(true) : undefined,
    /** The number of impersonations on it, if it is more than one. */
    times: rows.length > 1 ? rows.length : undefined,
    startedAt: first.startedAt,
    expiresAt: isOpen ? last.expiresAt : undefined,
    endedAt: isOpen || state === 'refused' ? undefined : (last.end?.at ?? last.expiresAt),
    endedBy: ending === 'operator' || ending === 'other' ? endedByOf(last) : undefined,
    objectedAt: last.objection?.at,
  }
}

/** Without what they wrote about it. */
function endedByOf({ end, operator }: AuditRow) {
  if (end?.by === undefined || end.by === operator?.id) return operatorOf(operator)
  return { id: end.by, name: end.name }
}

/** Without the e-mail address. */
function operatorOf(operator: AuditPerson | undefined) {
  return operator && { id: operator.id, name: operator.name }
}

/** The words of a card, on the page and in a mail. */
export interface CardInWords {
  /** Each has a label, and a text or a time in milliseconds since the epoch. */
  readonly facts: readonly (readonly [label: string, value: number | string | undefined])[]
  readonly warnings: readonly string[]
  /** A line for each act that has words, and for the numbers of the others. */
  readonly done: readonly string[]
}

/** @param plain writes the words of the deployment */
export function cardInWords(
  of: AccountImpersonation,
  reader: Pick<At, 'language' | 'locale' | 'words'>,
  plain = (text: string) => text,
): CardInWords {
  const { account, notices } = reader.words
  const count = (sentence: Plural, times: number) => counted(reader, sentence, times)
  const { startedAt, canChange, unapproved, replays, did, more, state, times } = of
  const isRunning = state === 'running'
  const kinds = ['reads', 'changes', 'refused'] as const
  const done = [
    ...did.map((act) => {
      const howOften = act.count > 1 ? count(notices.times, act.count) : []
      const how = [act.refused ? account.wasRefused : [], howOften].flat().join(', ')
      return how ? fill(notices.done, { what: plain(act.text), how }) : plain(act.text)
    }),
    ...kinds.flatMap((kind) => (more?.[kind] ? count(account[kind], more[kind]) : [])),
  ]
  if (startedAt !== undefined && done.length === 0) {
    done.push(isRunning ? account.didNothingYet : account.didNothing)
  }
  return {
    facts: [
      [startedAt === undefined ? account.askedAt : account.started, startedAt ?? of.at],
      [account.ended, of.endedAt],
      [account.endsAt, isRunning ? of.expiresAt : undefined],
      [notices.howOften, times && count(notices.times, times)],
      [account.ticket, of.ticket],
      [account.application, of.application],
      [account.could, allowedIn(account, canChange)],
    ],
    warnings: [
      unapproved ? account.unapproved[unapproved] : [],
      replays > 0 ? count(account.replays, replays) : [],
    ].flat(),
    done,
  }
}

/** Words for what an operator may do, as far as it is known. */
export function allowedIn(account: Words['account'], canChange: boolean | undefined) {
  if (canChange === undefined) return undefined
  return canChange ? account.lookAndChange : account.look
}
