import type { AuditRecord } from 'oidc-provider-impersonation-verify/format'
import { oneOf } from '../../kernel/input.ts'
import { notFound } from '../../web/http/problem.ts'
import type { At } from '../../web/kit/at.ts'
import { operatorLimit } from '../../web/operator-limit.ts'
import { linesFor } from '../../web/pages/table.ts'
import type { WithBody } from '../../web/parts.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { sayAsCustomer, WORD } from './record.ts'
import { type CustomerRecordCall, shownRecord } from './shown.ts'
import { OBJECTION, objections } from './stops.ts'

/** Answers of a customer in an hour. Each is an entry of the audit. */
const MAX_IN_AN_HOUR = 60
const HOUR_S = 3600
/** The number of the newest stops that tell what became of an objection. */
const MAX_STOPS_READ = 100

const CHOICE = { choice: oneOf(['ask', 'allow']) }

export type AccountRecords = Awaited<ReturnType<typeof listOwnRecords>>

/** Lists what a customer can answer, and what holds by their answers: a part of the account page. */
export async function listOwnRecords(call: CustomerRecordCall) {
  const { answer, caller, now, records } = call
  const [found, standing] = await Promise.all([
    records.list({ customer: caller.id, notOverAt: now() }),
    answer?.(caller.id),
  ])
  const shown = found.map((each) => shownToCustomer(each, call)).filter(isShown)
  return { records: shown, /** If the deployment offers it. */ standing }
}

/** Finds when another person looked into an objection of the caller: by the operator, the newest first. */
export async function findLookedInto({ caller, records }: CustomerRecordCall) {
  const stops = await records.list({ customer: caller.id, state: 'lifted' }, MAX_STOPS_READ)
  return (operator: string, objectedAt: number) =>
    stops
      .filter((stop) => stop.operator?.id === operator)
      .flatMap(({ said }) => said.filter(({ event }) => event === 'lifted'))
      .findLast(({ at }) => at >= objectedAt)?.at
}

function isShown({ may, said, state }: RecordAnswer) {
  // The customer is told nothing of a request that others declined.
  if (state === 'declined') return said.length > 0
  // A customer can take back what they allowed, also if others did not yet.
  if (state === 'requested') return may.includes('granted') || said.length > 0
  return state === 'granted' || state === 'stopped'
}

/** Without the texts of the operator and the team. */
function shownToCustomer(record: AuditRecord, call: CustomerRecordCall): RecordAnswer {
  const shown = shownRecord(record, call)
  const { id, kind, state, may, said, operator, ticket, requestedAt, lapsesAt, until } = shown
  const { application, applicationName = application, canChange, unapproved, isReviewDue } = shown
  return {
    id,
    kind,
    state,
    may,
    ticket,
    requestedAt,
    lapsesAt,
    until,
    canChange,
    unapproved,
    isReviewDue,
    isMine: false,
    needs: [],
    said: said.filter(({ by }) => by?.id === call.caller.id),
    operator: operator && { id: operator.id, name: operator.name },
    for: shown.for,
    application: applicationName,
  }
}

/** The answers of customers. Each console counts for itself. */
export function customerActions() {
  const limit = operatorLimit(MAX_IN_AN_HOUR, HOUR_S)
  const { action } = linesFor<CustomerRecordCall, At>()

  async function choose(call: WithBody<typeof CHOICE, CustomerRecordCall>) {
    const { answer, body, caller } = call
    if (!answer) throw notFound('there is nothing here')
    if (body.choice !== 'ask') await limit(caller.id)
    return answer(caller.id, body.choice)
  }

  return [
    action('/objection', [], OBJECTION, objections(), {
      after: ({ isStopped, isEnded }) => {
        const key = isStopped ? 'objectedStopped' : 'objected'
        return { said: { key: isEnded ? key : `${key}NotEnded` } }
      },
    }),
    action('/records/:id/:event', [], WORD, (call) => sayAsCustomer(call, limit), {
      after: (event) => ({ said: { key: SAID[event as keyof typeof SAID] } }),
    }),
    action('/answer', [], CHOICE, choose, {
      after: ({ choice }) => ({
        said: { key: choice === 'allow' ? 'standingAllow' : 'standingAsk' },
      }),
    }),
  ]
}

const SAID = {
  granted: 'allowed',
  declined: 'declined',
  revoked: 'revoked',
} as const
