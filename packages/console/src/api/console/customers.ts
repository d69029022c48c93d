import { isPlain, present } from 'oidc-provider-impersonation-verify/format'
import { invalid, notFound } from '../../http/problem.ts'
import { numberIn, parseQuery, textIn } from '../../http/query.ts'
import type { Call } from '../parts.ts'
import { findOwnPause } from '../pauses/pauses.ts'
import type { CustomerPageAnswer, CustomersAnswer } from './answers.ts'
import { runningImpersonations } from './running.ts'

const MAX_OFFSET = 10_000
const MAX_ID_LENGTH = 255

/** `GET /customers?q=&offset=` */
export async function searchCustomers({ ctx, directory }: Call): Promise<void> {
  const query = parseQuery(ctx.querystring, 'q', 'offset')
  const text = textIn(query, 'q', 100)?.trim()
  if (!text) throw invalid('q is required: 1 to 100 characters')
  const offset = numberIn(query, 'offset', 0, MAX_OFFSET) ?? 0
  ctx.body = (await directory.search(text, offset)) satisfies CustomersAnswer
}

/** `GET /customers/:id` */
export async function showCustomer(call: Call): Promise<void> {
  const { ctx, directory } = call
  parseQuery(ctx.querystring)
  const id = call.param('id')
  // A database may fail at what no id can be: that would read as trouble.
  const customer = isPlain(id) && id.length <= MAX_ID_LENGTH ? await directory.get(id) : undefined
  if (!customer) throw notFound('there is no such customer')
  const { running } = await runningImpersonations(call, { userId: customer.id })
  const pause = await findOwnPause(call, customer.id)
  ctx.body = { customer, running, ...present({ pause }) } satisfies CustomerPageAnswer
}
