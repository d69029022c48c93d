import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import {
  type Answer,
  basic,
  type Deployment,
  type Form,
  REDIRECT_URI,
} from '../support/deployment.ts'
import { answerOf } from '../support/http.ts'
import { during } from './during.ts'
import type { SeenAnswer } from './openapi-document.ts'

function seen(what: string, answer: Answer): SeenAnswer {
  return { operation: 'exchangeToken', what, answer }
}

/** What oidc-provider answers before the grant is asked. */
export async function* clientAnswers(): AsyncGenerator<SeenAnswer> {
  yield* during({}, clients)
  yield* during({ clients: EXPIRED }, async function* ({ post }) {
    const form = { grant_type: TOKEN_EXCHANGE_GRANT_TYPE }
    const headers = basic('expired', 'secret')
    yield seen('a secret that has expired', await post('/oidc/token', form, headers))
  })
}

const EXPIRED = [
  {
    client_id: 'expired',
    client_secret: 'secret',
    client_secret_expires_at: 1,
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
    redirect_uris: [REDIRECT_URI],
  },
]

async function* clients(deployment: Deployment): AsyncGenerator<SeenAnswer> {
  const { base, exchange } = deployment
  const subject_token = 'unknown'
  const post = async (body: string, headers: Record<string, string> = {}) =>
    answerOf(await fetch(`${base}/oidc/token`, { method: 'POST', body, headers }))
  yield seen('a JSON body', await post('{}', { 'content-type': 'application/json' }))
  yield seen('a body of 60 KiB', await exchange({ subject_token: 'x'.repeat(60 * 1024) }))
  const authorizations = [
    'Bearer x',
    'Basic !',
    `Basic ${btoa('none')}`,
    `Basic ${btoa('web:%')}`,
    `Basic ${btoa('web:')}`,
    `Basic ${btoa('web:wrong')}`,
  ]
  for (const authorization of authorizations) {
    yield seen(authorization, await exchange({ subject_token }, { authorization }))
  }
  const assertion = `${btoa('{"alg":"ES256"}')}.${btoa('{"sub":"console"}')}.x`
  const forms: readonly Form[] = [
    { client_id: ['console', 'console'] },
    { client_id: undefined },
    { client_id: 'unknown' },
    { client_id: 'web' },
    { client_id: 'plain' },
    { client_assertion: 'none' },
    { client_assertion: assertion },
    { client_assertion: assertion, client_assertion_type: 'none' },
    { client_assertion: assertion, client_secret: 'both' },
    { grant_type: undefined },
    { grant_type: [TOKEN_EXCHANGE_GRANT_TYPE, TOKEN_EXCHANGE_GRANT_TYPE] },
    { grant_type: 'token-exchange' },
    { actor_token: ['one', 'two'] },
    { scope: '"' },
  ]
  for (const form of forms) {
    yield seen(JSON.stringify(form), await exchange({ subject_token, ...form }))
  }
  const mismatch = { subject_token, client_id: 'console' }
  yield seen('two clients', await exchange(mismatch, basic('web', 'web-secret')))
  yield seen(
    'another origin',
    await exchange({ subject_token }, { origin: 'https://console.example.com' }),
  )
}
