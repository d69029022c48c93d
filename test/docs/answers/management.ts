import { basic } from '../../support/http.ts'
import { RESOURCE } from '../../support/managing.ts'
import { signIn } from '../../support/sign-in.ts'
import { END_CURRENT, END_MANY, ISSUE, LIST } from './routes.ts'
import { asMalformed } from './seen.ts'
import { REFUSALS, type Rules, under, type World } from './world.ts'

const userId = 'alice'
const GOOD: readonly object[] = [
  { userId, context: { ticketId: 'SUP-123' }, mayAct: { sub: 'olivia', clientId: 'console' } },
  { userId, resource: 'https://api.example.com', scope: 'orders:read', expiresIn: 300 },
  { userId, resource: ['https://api.example.com', 'urn:example:invoices'] },
]
const MALFORMED: readonly unknown[] = [
  ['alice'],
  { userId, contxt: {} },
  {},
  { userId: 7 },
  { userId: '' },
  { userId: 'al\nice' },
  { userId, context: 'x' },
  { userId, mayAct: 'olivia' },
  { userId, mayAct: {} },
  { userId, resource: [] },
  { userId, resource: '/orders' },
  { userId, scope: ' ' },
  { userId, expiresIn: 0 },
]
/** Refused by what no schema says. */
const REFUSED: readonly object[] = [
  { userId, context: JSON.parse(`${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`) },
  { userId, context: { reason: 'x'.repeat(4096) } },
  { userId, expiresIn: 3600 },
  { userId: 'unknown' },
]
const ISSUE_RULES: ReadonlyArray<Partial<Rules>> = [
  { contextIssues: [{ message: 'no such ticket', path: ['ticketId'] }] },
  { contextIssues: [] },
  { authorize: false },
  { authorize: { needs: ['second_person'] } },
  ...REFUSALS.map((refusal) => ({ refusal })),
  { isIssueLimited: true },
  { unrecorded: 'impersonation.issued' },
  { isAuditReady: false },
]
const QUERIES = ['x=1', 'limit=0', 'limit=1&limit=2', 'state=x', 'actor=', 'cursor=x', 'userId=%00']
const MALFORMED_ENDS: readonly object[] = [
  { reasn: 'x' },
  { by: 'olivia' },
  { by: { sub: '' } },
  { by: { sub: 'oli\nvia' } },
  { cause: 'replay' },
  { reason: '' },
]

/** What the management API answers beside what all routes do. */
export async function askManagement(world: World): Promise<void> {
  const { ask } = world
  for (const body of [...GOOD, ...REFUSED]) await ask(ISSUE, { body })
  await asMalformed(async () => {
    for (const body of MALFORMED) await ask(ISSUE, { body })
  })
  for (const rules of ISSUE_RULES) await under(world, rules, () => ask(ISSUE))

  const { id, show, end } = await objects(world)
  for (const unknown of [show, end]) {
    await ask({ ...unknown, path: unknown.path.replace(id, 'A'.repeat(43)) })
  }
  for (const query of [...QUERIES, 'limit=1', 'userId=alice&actor=olivia&state=ended&limit=100']) {
    await ask({ ...LIST, path: `${LIST.path}?${query}` })
  }
  const by = { by: { sub: 'alice' }, cause: 'user', reason: 'done' }
  for (const filter of [{ userId: 'bob', requestedBy: 'backend', ...by }, { actor: 'nobody' }]) {
    await ask(END_MANY, { body: filter })
  }
  await world.impersonate()
  await asMalformed(async () => {
    for (const body of MALFORMED_ENDS) {
      await ask(end, { body })
      await ask(END_MANY, { body: { userId: 'nobody', ...body } })
    }
    await ask(END_MANY, { body: {} })
    for (const body of [{ reason: 'done' }, { cause: 'user' }, []]) await ask(END_CURRENT, { body })
  })
}

/** Asks for an impersonation in every state, with all that can be known of one. */
async function objects(world: World) {
  const { access_token: actor_token } = await signIn(world, 'olivia')
  const { id, subjectToken } = await world.start({
    context: { ticketId: 'SUP-123' },
    mayAct: { sub: 'olivia', clientId: 'console' },
    resource: [world.orders, 'urn:example:invoices'],
    scope: 'orders:read',
  })
  const path = `${LIST.path}/${id}`
  const show = { ...LIST, path }
  const end = { ...END_MANY, path: `${path}/end`, body: {} }
  const body = { by: { sub: 'alice' }, cause: 'user', reason: 'done' }
  await world.ask(show)
  await world.exchange({ subject_token: subjectToken, actor_token })
  await world.ask(show)
  for (const _ of ['first', 'again']) await world.ask(end, { body })
  await world.ask(show)
  return { id, show, end }
}

/** Every refusal that the management API's resource adds to the provider's own. */
export async function askForMachineTokens({ post }: World): Promise<void> {
  const form = { grant_type: 'client_credentials', resource: RESOURCE, scope: 'impersonate' }
  const requests = [
    [form, basic('other', 'secret')],
    [{ ...form, client_id: 'public' }, {}],
    [{ ...form, resource: 'https://elsewhere.example' }, basic('backend', 'backend-secret')],
    [form, basic('web', 'web-secret')],
    [form, basic('backend', 'wrong')],
  ] as const
  for (const [body, headers] of requests) await post('/oidc/token', body, headers)
}
