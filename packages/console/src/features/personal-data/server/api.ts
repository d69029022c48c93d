import {
  type AuditPerson,
  MAX_NOTE_LENGTH,
  present,
  speakersOf,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { MAX_CUSTOMER_ID_LENGTH } from '../../../kernel/limits.ts'
import { recordAt } from '../../../records/record-at.ts'
import { writtenText } from '../../../web/http/json-body.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import { numberParameter, textParameter } from '../../../web/http/query.ts'
import { sendExport } from '../../../web/http/send-export.ts'
import type { Call, WithBody, WithQuery } from '../../../web/parts.ts'
import type { RecordAnswer } from '../../../web/record-answer.ts'
import { findMayErase } from '../../../web/sign-in/roles.ts'
import type { ErasedCounts } from './erase.ts'
import { MAX_SHOWN } from './in-force.ts'
import type { PersonalData } from './personal-data.ts'
import { type ErasureRequest, eraser, isSameAccount } from './requests.ts'

/** The parts of the API that this feature adds. */
export interface ErasingParts {
  readonly personalData: PersonalData
}

export type ErasingCall = Call & ErasingParts

const MAX_OFFSET = 10_000

/**
 * Lets in those who may erase.
 *
 * @throws Problem 404 without the option, 403 for everybody else
 */
async function assertMayErase({ caller, settings }: ErasingCall): Promise<void> {
  if (!settings.mayErase) throw notFound('there is nothing here')
  if (await findMayErase(caller.account, settings)) return
  throw new Problem(403, 'access_denied', 'you may not look into the data of a person')
}

export const REQUEST_PAGE = {
  q: v.optional(v.pipe(textParameter(100), v.trim())),
  offset: v.optional(numberParameter(0, MAX_OFFSET), '0'),
}

/** Lists the requests to erase, and finds people: also for an auditor, who finds no customers elsewhere. */
export async function listRequests(call: WithQuery<typeof REQUEST_PAGE, ErasingCall>) {
  await assertMayErase(call)
  const { directory, language, query } = call
  const { q: asked = '', offset } = query
  const found = asked === '' ? undefined : await directory.search(asked, offset, language)
  return { requests: await shownRequests(call), ...(found && { asked, ...found }) }
}

export type RequestsAnswer = Awaited<ReturnType<typeof listRequests>>

/** Requests to erase as records, for those who may erase. */
export function erasureRecords(personalData: PersonalData) {
  return {
    async find(call: Call): Promise<readonly RecordAnswer[]> {
      const { caller, settings } = call
      const isAllowed = await findMayErase(caller.account, settings)
      return isAllowed ? shownRequests({ ...call, personalData }) : []
    },
    confirm: ({ caller }: Call, id: string, note: string | undefined): Promise<ErasedCounts> =>
      personalData.erasures.confirm(id, { by: caller.id, note }),
  }
}

/** Finds what there is of one person, also of one whom no directory knows. */
export async function showPerson(call: ErasingCall) {
  await assertMayErase(call)
  const { caller, directory, language, personalData } = call
  const id = customerIn(call)
  const { all, inForce } = await personalData.find(id)
  const rows = all.flatMap((item) => (item.kind === 'impersonation' ? item.row : []))
  const permits = all.flatMap((item) => (item.kind === 'permit' ? item.permit : []))
  const requests = await shownRequests(call)
  const known = await directory.get(id, language)
  const { name } = known ?? (await nameKnown(call, { id }))
  return {
    id,
    isKnown: known !== undefined,
    isMe: isSameAccount(id, caller.id),
    asCustomer: spanOf(rows),
    /** Permits, stops and answers about the customer. */
    permits: spanOf(permits),
    uses: rows.reduce((sum, { reads, changes }) => sum + reads + changes, 0),
    /** Impersonations of which the customer was told. */
    notices: rows.filter(({ deliveries }) => deliveries?.customer?.last?.is === 'told').length,
    held: rows.filter(({ hold }) => hold?.isHeld).length,
    /** Reasons why some of it may not be erased now. */
    inForce: inForce.slice(0, MAX_SHOWN),
    ...present({
      name: name ?? rows.find(({ customer }) => customer?.name !== undefined)?.customer?.name,
      email: known?.email,
      request: requests.find(({ customer }) => isSameAccount(customer.id, id)),
    }),
  }
}

export type PersonAnswer = Awaited<ReturnType<typeof showPerson>>

/** So many, from one moment to another: in milliseconds since the epoch. */
export interface Span {
  readonly count: number
  readonly from?: number
  readonly to?: number
}

/** @param all the newest first */
function spanOf(all: readonly { readonly at: number }[]): Span {
  const [last, first] = [all[0], all.at(-1)]
  return { count: all.length, ...(last && first && { from: first.at, to: last.at }) }
}

/** Sends all that the audit has of a person. */
export async function exportPerson(call: ErasingCall): Promise<void> {
  await assertMayErase(call)
  const { caller, personalData } = call
  const id = customerIn(call)
  const context = await personalData.exportContext(id)
  await sendExport(call, 'personal-data.jsonl', context, () =>
    personalData.exportParts(id, { by: caller.id }),
  )
}

export const ERASE_NOTE = { note: writtenText(MAX_NOTE_LENGTH) }

/** Asks to erase what there is of a person. */
export async function askToErase(call: WithBody<typeof ERASE_NOTE, ErasingCall>) {
  await assertMayErase(call)
  const { ctx, body, caller, personalData } = call
  const said = { by: caller.id, note: body.note }
  const asked = await personalData.erasures.ask(customerIn(call), said)
  ctx.status = 201
  return shownRequest(asked, call)
}

/**
 * Whatever the provider takes as an account id can be erased, also what looks like another one.
 *
 * @throws Problem 404 for what no account id can be
 */
function customerIn({ param }: ErasingCall): string {
  const id = param('id')
  const isText = id !== '' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  if (isText && [...id].length <= MAX_CUSTOMER_ID_LENGTH) return id
  throw notFound('there is no such person')
}

async function shownRequests(call: ErasingCall) {
  const requests = await call.personalData.erasures.list()
  return Promise.all(requests.map((each) => shownRequest(each, call)))
}

/** It waits until all is erased, also if it was confirmed and broke off. */
async function shownRequest(request: ErasureRequest, call: ErasingCall) {
  const { by, customer } = request
  const { id } = call.caller
  return {
    ...recordAt(request, call.now()),
    by: await nameKnown(call, by),
    customer: await nameKnown(call, customer),
    state: 'asked',
    isMine: isSameAccount(by.id, id),
    may: speakersOf(request, eraser(id)).includes('eraser') ? ['confirmed'] : [],
  } satisfies RecordAnswer
}

/** A directory that fails leaves the name away. */
async function nameKnown({ nameOf }: ErasingCall, { id }: AuditPerson): Promise<AuditPerson> {
  const named = await nameOf(id).catch(() => undefined)
  return { id, ...present({ name: named?.name }) }
}
