import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { signInAt } from '../../test/support/development-sign-in.ts'

const RESOURCE = 'https://orders.example.com'

/** Runs the flow of the README, and checks the resulting access token. */
export async function impersonate(base: string): Promise<void> {
  const token = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body: new URLSearchParams(form), headers }
    return member(await fetch(`${base}/oidc/token`, init), 'access_token')
  }
  const machineToken = await token(
    { grant_type: 'client_credentials', resource: `${base}/api`, scope: 'impersonate' },
    { authorization: `Basic ${btoa('backend:backend-secret')}` },
  )
  const issued = await fetch(`${base}/api/subject-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${machineToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      userId: 'alice',
      mayAct: { sub: 'olivia' },
      resource: RESOURCE,
      scope: 'orders:read',
      expiresIn: 60,
    }),
  })
  const accessToken = await token({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: 'console',
    subject_token: await member(issued, 'subjectToken'),
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    actor_token: await signInAt(`${base}/oidc`, 'olivia'),
    actor_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: RESOURCE,
    scope: 'orders:read',
  })
  const { sub, act, aud } = decodeJwt(accessToken)
  assert.deepEqual({ sub, act, aud }, { sub: 'alice', act: { sub: 'olivia' }, aud: RESOURCE })
}

async function member(response: Response, name: string): Promise<string> {
  const text = await response.text()
  const { [name]: value }: Record<string, unknown> = JSON.parse(text)
  assert(typeof value === 'string', `${response.status} ${response.url}: ${text}`)
  return value
}
