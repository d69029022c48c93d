import { EVERYTHING } from '../../support/managing.ts'
import { type Route, under, type World } from './world.ts'

const CURRENT = '/oidc/impersonations/current'
export const ELSEWHERE = { origin: 'https://console.example.com' }
export const ISSUE: Route = {
  method: 'POST',
  path: '/api/subject-tokens',
  body: { userId: 'alice' },
  fault: 'SubjectToken.upsert',
}
export const LIST: Route = {
  method: 'GET',
  path: '/api/impersonations',
  fault: 'SubjectToken.list',
}
export const END_MANY: Route = {
  method: 'POST',
  path: '/api/impersonations/end',
  body: { userId: 'nobody' },
  fault: 'SubjectToken.list',
}
export const SHOW_CURRENT: Route = {
  method: 'GET',
  path: CURRENT,
  fault: 'SubjectToken.find',
  isCurrent: true,
}
export const END_CURRENT: Route = {
  method: 'POST',
  path: `${CURRENT}/end`,
  body: { reason: 'left' },
  fault: 'SubjectToken.find',
  isCurrent: true,
}
/** Claims that make a proof wrong in one way each. */
export const WRONG_PROOFS: readonly object[] = [
  { iat: undefined },
  { jti: 1 },
  { nonce: 1 },
  { htm: 'PUT' },
  { htu: 'https://elsewhere.example' },
  { iat: 1 },
  { nonce: 'another' },
]

/** What routes answer whatever they do: to each request a new impersonated token. */
export async function askRoutes(world: World): Promise<void> {
  const { id } = await world.start()
  const path = `/api/impersonations/${id}`
  const show: Route = { method: 'GET', path, fault: 'SubjectToken.find' }
  const end: Route = { method: 'POST', path: `${path}/end`, body: {}, fault: 'SubjectToken.find' }
  for (const route of [ISSUE, LIST, show, end, END_MANY]) {
    await askRoute(world, route)
    for (const scope of EVERYTHING.split(' ')) {
      await world.ask(route, { token: await world.machineToken(scope) })
    }
  }
  for (const route of [SHOW_CURRENT, END_CURRENT]) {
    await world.impersonate()
    await askRoute(world, route)
    for (const isOriginAllowed of [false, true]) {
      await world.impersonate()
      await under(world, { isOriginAllowed }, async () => {
        for (const headers of [{}, ELSEWHERE]) {
          await askInVain(world, route, headers)
          await world.ask(route, { headers })
        }
      })
    }
  }
  for (let count = 0; count < 21; count += 1) await world.ask(SHOW_CURRENT, { headers: ELSEWHERE })
  await world.ask(END_CURRENT)
}

async function askRoute(world: World, route: Route): Promise<void> {
  await askInVain(world, route, {})
  if (world.dPoP) {
    for (const claims of [...WRONG_PROOFS, { ath: 'another' }]) await world.ask(route, { claims })
    await world.ask(route, { headers: { dpop: 'no JWT' } })
    if (world.dPoP.nonceSecret) await under(world, { requireNonce: true }, () => world.ask(route))
  }
  await world.ask(route)
}

/** Without a success. */
async function askInVain(
  world: World,
  route: Route,
  headers: Record<string, string>,
): Promise<void> {
  world.faults.add(route.fault)
  await world.ask(route, { headers })
  world.faults.clear()
  for (const token of [null, 'unknown']) await world.ask(route, { token, headers })
  const others = route.method === 'GET' ? ['POST', 'PUT'] : ['GET', 'PATCH']
  for (const method of [...others, 'DELETE', 'OPTIONS']) {
    await world.ask(route, { token: null, method, headers })
  }
  if (!route.body) return
  for (const body of ['{"', '[]', '1', JSON.stringify({ reason: 'x'.repeat(17_000) })]) {
    await world.ask(route, { body, headers })
  }
  for (const other of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
    await world.ask(route, { headers: { ...headers, ...other } })
  }
}
