import { isPlain, present } from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import type { CustomerPageAnswer, CustomersAnswer } from '../../../web/answers.ts'
import { notFound } from '../../../web/http/problem.ts'
import { numberParameter, readQuery, textParameter } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import { runningImpersonations } from './running.ts'

const MAX_OFFSET = 10_000

/** `GET /customers?q=&offset=` */
export async function searchCustomers({ ctx, directory, language }: Call): Promise<void> {
  const { q, offset } = readQuery(ctx, {
    q: v.pipe(textParameter(100), v.trim(), v.nonEmpty('must be a text of 1 to 100 characters')),
    offset: v.optional(numberParameter(0, MAX_OFFSET), '0'),
  })
  ctx.body = (await directory.search(q, offset, language)) satisfies CustomersAnswer
}

/** `GET /customers/:id` */
export async function showCustomer(call: Call): Promise<void> {
  const { ctx, directory, language } = call
  const id = call.param('id')
  // A database may fail at what no id can be: that would read as trouble.
  const customer =
    isPlain(id) && id.length <= MAX_ID_LENGTH ? await directory.get(id, language) : undefined
  if (!customer) throw notFound('there is no such customer')
  const { running } = await runningImpersonations(call, { userId: customer.id })
  const pause = await call.gate.findPause(call, customer.id)
  ctx.body = { customer, running, ...present({ pause }) } satisfies CustomerPageAnswer
}
