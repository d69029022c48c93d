import { describeRule, findAccount, limitTime } from 'oidc-provider-impersonation/siblings'
import * as v from 'valibot'
import { objectOf } from '../../../kernel/input.ts'
import { MAX_ID_LENGTH } from '../../../kernel/limits.ts'
import type { Role } from '../../../kernel/roles.ts'
import { writtenText } from '../../../web/http/json-body.ts'
import { busy, orUnavailable } from '../../../web/http/problem.ts'
import { readQuery } from '../../../web/http/query.ts'
import type { Call } from '../../../web/parts.ts'
import type { ListStaff } from '../../../web/settings.ts'
import { findRole } from '../../../web/sign-in/roles.ts'
import type { RulesAnswer, StaffMember } from './answers.ts'

/** The most people whose roles are looked up for one answer, and at once. */
const [MAX_STAFF, STAFF_AT_ONCE] = [200, 20]
/** How long `staff` may take, in milliseconds. */
const STAFF_TIMEOUT_MS = 5000
/** In which order they are shown. */
const ROLE_ORDER: readonly Role[] = ['lead', 'operator', 'auditor']

/** `GET /rules` */
export async function showRules(call: Call): Promise<void> {
  readQuery(call.ctx, {})
  await call.limitPreviews(call.caller.id)
  call.ctx.body = {
    rules: describeRule(call.provider).map((description) => description ?? null),
    ...(await findStaff(call)),
  } satisfies RulesAnswer
}

async function findStaff(call: Call): Promise<Pick<RulesAnswer, 'hasMore' | 'staff'>> {
  const { staff } = call.settings
  if (!staff) return { hasMore: false }
  const listed = await orUnavailable('who works in support cannot be looked up now', () =>
    limitTime(STAFF_TIMEOUT_MS, askStaff(staff), () => busy('staff does not answer')),
  )
  const looked = listed.filter((each) => v.is(LISTED, each)).slice(0, MAX_STAFF)
  const found: StaffMember[] = []
  for (let from = 0; from < looked.length; from += STAFF_AT_ONCE) {
    const some = looked.slice(from, from + STAFF_AT_ONCE)
    found.push(...(await Promise.all(some.map((each) => withRole(each, call)))).flat())
  }
  const byName = found.toSorted((one, other) => one.name.localeCompare(other.name))
  return {
    staff: ROLE_ORDER.flatMap((role) => byName.filter((each) => each.role === role)),
    hasMore: listed.length > MAX_STAFF,
  }
}

async function askStaff(staff: ListStaff) {
  const listed = await staff()
  if (Array.isArray(listed)) return listed
  throw new TypeError('options.staff must answer a list of { id, name }')
}

/** One who is listed. What is none is left out. */
const LISTED = objectOf({ id: writtenText(MAX_ID_LENGTH), name: v.optional(v.string()) })
type Listed = v.InferOutput<typeof LISTED>

/** The person, where the provider knows the account and it has a role. */
async function withRole(
  { id, name }: Listed,
  { provider, settings }: Call,
): Promise<readonly StaffMember[]> {
  const account = await orUnavailable('a person cannot be looked up now', () =>
    findAccount(provider, id),
  )
  const role = account && (await findRole(account, settings))
  return role ? [{ id, name: name ?? id, role }] : []
}
