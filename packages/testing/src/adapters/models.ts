import type { AdapterPayload } from 'oidc-provider'
import { unique } from './unique.ts'

/** A model that is stored through the adapter, with a payload as its records look. */
export interface ModelSample {
  readonly model: string
  /** In seconds; `undefined` for a model that is stored without an expiry. */
  readonly expiresIn: number | undefined
  /** `true` if `revokeByGrantId` is called on the model. */
  readonly grantable: boolean
  /** A payload whose id, uid, user code and grant no other record has. */
  payload(id: string): AdapterPayload
}

const now = () => Math.floor(Date.now() / 1000)

function sample(
  model: string,
  members: () => AdapterPayload,
  { expiresIn = 600, grantable = false } = {},
): ModelSample {
  return {
    model,
    expiresIn,
    grantable,
    payload: (id) => ({
      iat: now(),
      exp: now() + expiresIn,
      jti: id,
      kind: model,
      ...members(),
    }),
  }
}

const grantable = { grantable: true }
const authorized = () => ({
  accountId: unique('account'),
  clientId: 'client',
  grantId: unique('grant'),
  scope: 'openid profile',
})
const authenticated = () => ({
  ...authorized(),
  acr: 'urn:example:loa:2',
  amr: ['pwd', 'otp'],
  authTime: now(),
  sessionUid: unique('uid'),
})

const client: ModelSample = {
  model: 'Client',
  expiresIn: undefined,
  grantable: false,
  payload: (id) => ({
    client_id: id,
    client_name: 'A client',
    client_secret: 'secret',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['https://client.example.com/cb?a=1&b=2'],
    'urn:example:extension': true,
  }),
}

/** Every model that oidc-provider stores through an adapter, and our own `SubjectToken`. */
export const models: readonly ModelSample[] = [
  client,
  sample('Session', () => ({
    accountId: unique('account'),
    uid: unique('uid'),
    loginTs: now(),
    authorizations: {
      'https://client.example.com/?a.b=$c': { sid: unique('sid'), grantId: unique('grant') },
    },
  })),
  sample('AccessToken', () => ({ ...authenticated(), gty: 'authorization_code' }), grantable),
  sample(
    'AuthorizationCode',
    () => ({ ...authenticated(), redirectUri: 'https://client.example.com/cb', nonce: 'n' }),
    grantable,
  ),
  sample('RefreshToken', () => ({ ...authenticated(), rotations: 0, iiat: now() }), grantable),
  sample(
    'DeviceCode',
    () => ({ ...authorized(), userCode: unique('CODE'), params: { client_id: 'client' } }),
    grantable,
  ),
  sample(
    'BackchannelAuthenticationRequest',
    () => ({ ...authorized(), params: { client_id: 'client', login_hint: 'user' } }),
    grantable,
  ),
  sample('PreAuthorizedCode', () => ({ ...authorized(), txCode: '1234' }), grantable),
  sample('ClientCredentials', () => ({
    aud: 'https://api.example.com',
    clientId: 'client',
    extra: { claim: [1, null, 'x'] },
    scope: 'read',
    'x5t#S256': 'thumbprint',
  })),
  sample('InitialAccessToken', () => ({ policies: ['policy'] })),
  sample('RegistrationAccessToken', () => ({ clientId: 'client', policies: ['policy'] })),
  sample('Interaction', () => ({
    returnTo: 'https://id.example.com/auth/uid',
    prompt: { name: 'login', reasons: ['no_session'], details: {} },
    params: { client_id: 'client', scope: 'openid' },
    session: { accountId: 'account', uid: 'uid', cookie: 'cookie' },
  })),
  sample('ReplayDetection', () => ({ iss: 'https://client.example.com' })),
  sample('PushedAuthorizationRequest', () => ({ request: 'a.b.c', dpopJkt: 'thumbprint' })),
  sample('Grant', () => ({
    accountId: unique('account'),
    clientId: 'client',
    openid: { scope: 'openid email', claims: ['email'] },
    resources: { 'https://api.example.com/v1.0': 'read write' },
  })),
  sample('SubjectToken', () => ({
    iss: 'https://id.example.com/oidc',
    accountId: unique('account'),
    clientId: 'backend',
    context: '{"ticketId":"T-1","reason":"the customer asked"}',
    binding: '{"mayAct":{"sub":"operator"},"scope":"read"}',
  })),
]

/** The sample of one model. */
export function modelSample(name: string): ModelSample {
  const found = models.find(({ model }) => model === name)
  if (!found) throw new TypeError(`no such model: ${name}`)
  return found
}
