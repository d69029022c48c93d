import { createMemoryAdapter } from '../../../src/adapters/memory.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE, ACCESS_TOKEN_TYPE as TYPE } from '../../../src/index.ts'
import { REDIRECT_URI } from '../../support/clients.ts'
import { type DeploymentOptions, deploy } from '../../support/deployment.ts'
import { basic, type Form } from '../../support/http.ts'
import { ELSEWHERE, WRONG_PROOFS } from './routes.ts'
import { asMalformed } from './seen.ts'
import { REFUSALS, type Rules, under, type World } from './world.ts'

const PAGE = { accept: 'text/html' }
const ASSERTION = `${btoa('{"alg":"ES256"}')}.${btoa('{"sub":"console"}')}.x`
const MALFORMED: readonly Form[] = [
  { subject_token: undefined },
  { subject_token_type: undefined },
  { subject_token_type: 'jwt' },
  { actor_token: 'x', actor_token_type: undefined },
  { actor_token_type: TYPE },
  { requested_token_type: 'jwt' },
  { resource: ['urn:example:orders', 'urn:example:invoices'] },
  { resource: '/orders' },
  { resource: 'urn:example:orders#x' },
  { audience: ['one', 'two'] },
]
const REFUSED: readonly Form[] = [
  { actor_token: 'unknown' },
  { resource: undefined },
  { resource: 'https://unknown.example' },
  { resource: 'urn:example:invoices' },
  { audience: 'https://elsewhere.example' },
  { scope: 'orders:delete' },
]
/** Refused by oidc-provider, before the grant is asked. */
const REFUSED_BEFORE: readonly Form[] = [
  { subject_token: 'x'.repeat(60 * 1024) },
  { client_id: ['console', 'console'] },
  { client_id: undefined },
  { client_id: 'unknown' },
  { client_id: 'web' },
  { client_id: 'plain' },
  { client_assertion: 'none' },
  { client_assertion: ASSERTION },
  { client_assertion: ASSERTION, client_assertion_type: 'none' },
  { client_assertion: ASSERTION, client_secret: 'both' },
  { grant_type: undefined },
  { grant_type: [TOKEN_EXCHANGE_GRANT_TYPE, TOKEN_EXCHANGE_GRANT_TYPE] },
  { grant_type: 'token-exchange' },
  { actor_token: ['one', 'two'] },
  { scope: '"' },
]
const AUTHORIZATIONS = [
  'Bearer x',
  'Basic !',
  ...['none', 'web:%', 'web:', 'web:wrong', 'expired:secret'].map((pair) => `Basic ${btoa(pair)}`),
]
const RULES: ReadonlyArray<Partial<Rules>> = [
  { authorize: false },
  { authorize: { needs: ['user'] } },
  ...REFUSALS.map((refusal) => ({ refusal })),
  { exhaustedAt: 0 },
  { exhaustedAt: 1 },
  { unrecorded: 'impersonation.started' },
  { isAuditReady: false },
]

/** What the token endpoint answers to an exchange. */
export async function askForExchanges(world: World): Promise<void> {
  const { base, issuer, orders } = world
  const fresh = async (body?: object) => (await world.start(body)).subjectToken
  const send = async (form: Form, headers?: Record<string, string>) =>
    world.exchange(form, { ...headers, ...(await world.proofs(`${issuer}/token`)) })

  for (const form of [{}, { scope: undefined }, { resource: `${base}/opaque` }]) {
    await send({ subject_token: await fresh(), ...form })
  }
  await send({ subject_token: await fresh() }, basic('web', 'web-secret'))
  await send({ subject_token: await fresh() }, ELSEWHERE)

  const subject_token = await fresh({ resource: [orders, 'https://unknown.example'] })
  await asMalformed(async () => {
    for (const form of MALFORMED) await send({ subject_token, ...form })
  })
  for (const form of [...REFUSED, ...REFUSED_BEFORE, { resource: `${base}/opaque` }]) {
    await send({ subject_token, ...form })
  }
  for (const authorization of AUTHORIZATIONS) await send({ subject_token }, { authorization })
  await send({ subject_token, client_id: 'console' }, basic('web', 'web-secret'))
  const headers = { 'content-type': 'application/json' }
  await fetch(`${base}/oidc/token`, { method: 'POST', body: '{}', headers })
  await under(world, { isOriginAllowed: false }, () => send({ subject_token }, ELSEWHERE))

  for (const headers of [PAGE, ELSEWHERE, {}]) {
    await send({ subject_token: 'unknown' }, headers)
    await send({ subject_token: 'unknown', client_id: 'unknown' }, headers)
    world.faults.add('SubjectToken.consumeOnce')
    await send({ subject_token: await fresh() }, headers)
    world.faults.clear()
    for (const rules of RULES) {
      const token = 'exhaustedAt' in rules ? 'unknown' : await fresh()
      await under(world, rules, () => send({ subject_token: token }, headers))
    }
  }
  if (world.dPoP) await sendProofs(world, subject_token)
}

async function sendProofs(world: World, subject_token: string): Promise<void> {
  const { exchange, issuer } = world
  const proofs = (claims?: object) => world.proofs(`${issuer}/token`, claims)
  await exchange({ subject_token }, { dpop: 'no JWT' })
  for (const claims of WRONG_PROOFS) await exchange({ subject_token }, await proofs(claims))
  await exchange({ subject_token }, basic('bound', 'secret'))
  if (!world.dPoP?.nonceSecret) return
  await under(world, { requireNonce: true }, async () =>
    exchange({ subject_token }, await proofs()),
  )
}

/** What options make of an exchange that cannot change while a provider runs. */
export async function askOthers(): Promise<void> {
  const managementApi = { resource: 'https://id.example.com/api', clients: ['backend'] }
  for (const impersonation of [
    { actorToken: { required: true } },
    { softwareActors: ['console'] },
    { managementApi: { ...managementApi, requireBinding: ['mayAct' as const] } },
  ]) {
    await using deployment = await deploy({ impersonation })
    const { resource = deployment.management } = impersonation.managementApi ?? {}
    const token = await deployment.m2mToken({ resource })
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    await deployment.exchange({ subject_token: body.subjectToken })
  }
  await using deployment = await deploy(losingItsGrant())
  const subject_token = await deployment.subjectToken()
  await deployment.exchange({ subject_token, client_id: 'stored' })
}

/** The rule takes its time, and the client loses the grant meanwhile. */
function losingItsGrant(): DeploymentOptions {
  const adapter = createMemoryAdapter()
  const store = (...grant_types: string[]) =>
    adapter('Client').upsert('stored', {
      client_id: 'stored',
      token_endpoint_auth_method: 'none' as const,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', ...grant_types],
    })
  return {
    configuration: { adapter },
    impersonation: {
      async authorize({ stage }) {
        await store(...(stage === 'issue' ? [TOKEN_EXCHANGE_GRANT_TYPE] : []))
        await new Promise(setImmediate)
        return true
      },
    },
  }
}
