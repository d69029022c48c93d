import {
  type AuditRecord,
  recordStateAt,
  unapprovedBy,
} from 'oidc-provider-impersonation-verify/format'
import { oneOf, type Read } from '../../../../kernel/input.ts'
import type { At } from '../../../../web/kit/at.ts'
import { operatorLimit } from '../../../../web/operator-limit.ts'
import { linesFor } from '../../../../web/pages/table.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import type { Standing } from '../options.ts'
import { findRecords } from './read.ts'
import { sayAsCustomer, WORD } from './say.ts'
import { type CustomerPermitCall, mayOf, namedIn, requirePermits } from './shown.ts'
import { OBJECTION, objections } from './stops.ts'

/** Answers of a customer in an hour. Each is an entry of the audit. */
const MAX_IN_AN_HOUR = 60
const HOUR_S = 3600
/** How many of the newest stops are looked at for what became of an objection. */
const MAX_STOPS_READ = 100

const CHOICE = { choice: oneOf(['ask', 'allow']) }

export type AccountRecords = Awaited<ReturnType<typeof listOwnRecords>>

/** Lists what a customer can answer, and what holds by their answers: a part of the account page. */
export async function listOwnRecords(call: CustomerPermitCall) {
  const { caller, permits, now } = call
  const [found, standing] = await Promise.all([
    findRecords(call, { customer: caller.id, notOverAt: now() }),
    permits?.hasStanding ? permits.answer(caller.id) : undefined,
  ])
  const records = found.map((each) => shownToCustomer(each, call)).filter(isShown)
  return { records, /** If the deployment offers it. */ standing }
}

/** Finds when another person looked into an objection of the caller: by the operator, the newest first. */
export async function findLookedInto(
  call: CustomerPermitCall,
): Promise<(operator: string, objectedAt: number) => number | undefined> {
  const filter = { customer: call.caller.id, state: 'lifted' } as const
  const stops = await findRecords(call, filter, MAX_STOPS_READ)
  return (operator, objectedAt) =>
    stops
      .filter((stop) => stop.operator?.id === operator)
      .flatMap(({ said }) => said.filter(({ event }) => event === 'lifted'))
      .findLast(({ at }) => at >= objectedAt)?.at
}

function isShown({ kind, may, said, state }: RecordAnswer): boolean {
  if (kind === 'answer' || kind === 'erasure') return false
  // Of what others declined, the customer is told nothing.
  if (state === 'declined') return said.length > 0
  // What they allowed, and others did not yet, they can take back.
  if (state === 'requested') return may.includes('granted') || said.length > 0
  return IN_FORCE.includes(state)
}

const IN_FORCE: readonly RecordAnswer['state'][] = ['granted', 'stopped']

/** Without what the operator and the team wrote. */
function shownToCustomer(record: AuditRecord, call: CustomerPermitCall): RecordAnswer {
  const { id, kind, operator, ticket, application, requestedAt, lapsesAt, said } = record
  const { applicationName, canChange } = namedIn(record, call)
  const customer = call.caller.id
  return {
    id,
    kind,
    requestedAt,
    isMine: false,
    needs: [],
    state: recordStateAt(record, call.now()),
    ...unapprovedBy(record),
    may: mayOf(record, { id: customer, is: [] }, call.now()),
    said: said.filter(({ by }) => by?.id === customer),
    operator: operator && { id: operator.id, name: operator.name },
    ticket,
    canChange,
    lapsesAt,
    until: record.until,
    for: record.for,
    application: applicationName ?? application,
  }
}

/** What customers say. Each console counts for itself. */
export function customerActions() {
  const limit = operatorLimit(MAX_IN_AN_HOUR, HOUR_S)
  const { action } = linesFor<CustomerPermitCall, At>()

  async function choose(
    call: CustomerPermitCall & { readonly body: Read<typeof CHOICE> },
  ): Promise<Standing> {
    const { body, caller } = call
    if (body.choice !== 'ask') await limit(caller.id)
    return requirePermits(call).answer(caller.id, body.choice)
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
