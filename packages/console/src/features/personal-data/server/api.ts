import { MAX_NOTE_LENGTH, present } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { MAX_CUSTOMER_ID_LENGTH } from '../../../kernel/limits.ts'
import type { CustomersAnswer } from '../../../web/answers.ts'
import { optionalNote, readBody, writtenText } from '../../../web/http/json-body.ts'
import { notFound, Problem } from '../../../web/http/problem.ts'
import { numberParameter, readQuery, textParameter } from '../../../web/http/query.ts'
import { sendExport } from '../../../web/http/send-export.ts'
import type { Call } from '../../../web/parts.ts'
import { findMayErase } from '../../../web/sign-in/roles.ts'
import type {
  ErasedAnswer,
  ErasureRequestAnswer,
  ErasureRequestsAnswer,
  PersonAnswer,
  PersonAnswered,
} from './answers.ts'
import { InForceError } from './in-force.ts'
import { findOfPerson } from './person.ts'
import type { PersonalData } from './personal-data.ts'
import { type ErasureRequest, isSameAccount } from './requests.ts'

/** What this feature adds to the parts of the API. */
export interface ErasingParts {
  readonly personalData: PersonalData
}

export type ErasingCall = Call & ErasingParts

const MAX_OFFSET = 10_000
/** How many reasons against an erasure are shown. */
const MAX_SHOWN = 100

/** Lets in those who may erase. Without the option, there is nothing here. */
export function forErasers(
  handle: (call: ErasingCall) => Promise<void>,
): (call: ErasingCall) => Promise<void> {
  return async (call) => {
    const { caller, settings } = call
    if (!settings.mayErase) throw notFound('there is nothing here')
    if (!(await findMayErase(caller.account, settings))) {
      throw new Problem(403, 'access_denied', 'you may not look into the data of a person')
    }
    await handle(call)
  }
}

/** `GET /personal-data` */
export async function listRequests(call: ErasingCall): Promise<void> {
  const { ctx, personalData, now } = call
  const requests = await personalData.erasures.list()
  ctx.body = {
    requests: await Promise.all(requests.map((each) => shownRequest(each, call))),
    now: now(),
  } satisfies ErasureRequestsAnswer
}

/** `GET /personal-data/customers?q=&offset=`: also for an auditor, who finds no customers elsewhere. */
export async function searchPeople({ ctx, directory, language }: ErasingCall): Promise<void> {
  const { q, offset } = readQuery(ctx, {
    q: v.pipe(textParameter(100), v.trim(), v.nonEmpty('must be a text of 1 to 100 characters')),
    offset: v.optional(numberParameter(0, MAX_OFFSET), '0'),
  })
  ctx.body = (await directory.search(q, offset, language)) satisfies CustomersAnswer
}

/** `GET /personal-data/people/:id` */
export async function showPerson(call: ErasingCall): Promise<void> {
  const { ctx, audit, caller, directory, language, now, personalData } = call
  const id = personIn(call)
  const inForce = await personalData.findInForce(id)
  const { name, ...found } = await findOfPerson(audit.store, id, now())
  const request = (await personalData.erasures.list()).find((each) =>
    isSameAccount(each.customer, id),
  )
  const known = await directory.get(id, language)
  const named = known ?? (await nameKnown(call, id))
  ctx.body = {
    ...found,
    ...{ id, isKnown: known !== undefined, inForce: inForce.slice(0, MAX_SHOWN) },
    ...present({
      name: named.name ?? name,
      email: known?.email,
      request: request && (await shownRequest(request, call)),
    }),
    isMe: isSameAccount(id, caller.id),
  } satisfies PersonAnswer
}

/** `GET /personal-data/people/:id/export.jsonl` */
export async function exportPerson(call: ErasingCall): Promise<void> {
  const { caller, personalData } = call
  const id = personIn(call)
  const context = await personalData.exportContext(id)
  await sendExport(call, 'personal-data.jsonl', 'jsonl', context, () =>
    personalData.exportParts(id, { by: caller.id }),
  )
}

/** `POST /personal-data/people/:id/erase` */
export async function askToErase(call: ErasingCall): Promise<void> {
  const { ctx, caller, personalData } = call
  const { note } = await readBody(ctx, { note: writtenText(MAX_NOTE_LENGTH) })
  const asked = await orInForce(() =>
    personalData.erasures.ask(personIn(call), { by: caller.id, note }),
  )
  ctx.status = 201
  ctx.body = await shownRequest(asked, call)
}

/** `POST /personal-data/requests/:id/confirm` */
export async function confirmErasure(call: ErasingCall): Promise<void> {
  const { ctx, caller, personalData } = call
  const { note } = await readBody(ctx, { note: optionalNote })
  ctx.body = (await orInForce(() =>
    personalData.erasures.confirm(call.param('id'), { by: caller.id, note }),
  )) satisfies ErasedAnswer
}

/**
 * Whatever the provider takes as an account id can be erased, also what looks like another one.
 *
 * @throws Problem 404 for what no account id can be
 */
function personIn({ param }: ErasingCall): string {
  const id = param('id')
  const isText = id !== '' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  if (isText && [...id].length <= MAX_CUSTOMER_ID_LENGTH) return id
  throw notFound('there is no such person')
}

async function orInForce<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InForceError)) throw error
    const inForce = error.inForce.slice(0, MAX_SHOWN)
    throw new Problem(409, 'in_force', 'something of this person may not be erased now', {
      more: { inForce },
    })
  }
}

async function shownRequest(
  { by, customer, note, ...request }: ErasureRequest,
  call: ErasingCall,
): Promise<ErasureRequestAnswer> {
  const [asker, concerned] = await Promise.all([nameKnown(call, by), nameKnown(call, customer)])
  const isMine = isSameAccount(by, call.caller.id)
  return {
    ...request,
    ...{ by: asker, customer: concerned, isMine, ...present({ note }) },
    canConfirm: !isMine && !isSameAccount(customer, call.caller.id),
  }
}

/** A directory that fails leaves the name away. */
async function nameKnown({ nameOf }: ErasingCall, id: string): Promise<PersonAnswered> {
  const named = await nameOf(id).catch(() => undefined)
  return { id, ...present({ name: named?.name }) }
}
