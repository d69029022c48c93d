import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import type { Config } from '../config.ts'
import { DEMO_SECRETS } from './secrets.ts'

/** One step, and its bash commands. They use only curl and sed. */
export interface Step {
  /** Also a comment in the shell, so it contains no quotation marks. */
  readonly title: string
  readonly commands: string
}

/** RFC 7636, appendix B. These values are public and protect nothing: for demonstrations only. */
const DEMO_PKCE = {
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
} as const

/** The form fields that name the actor. */
const ACTOR_FIELDS: readonly string[] = [
  '--data-urlencode "actor_token=$OPERATOR_TOKEN"',
  `-d actor_token_type=${ACCESS_TOKEN_TYPE}`,
]

/** The URL that starts a sign-in of an operator in a browser. */
export function authorizationUrl(baseUrl: string): string {
  const parameters = new URLSearchParams({
    client_id: 'support-tool',
    response_type: 'code',
    redirect_uri: `${baseUrl}/support/callback`,
    scope: 'openid',
    code_challenge: DEMO_PKCE.challenge,
    code_challenge_method: 'S256',
  })
  return `${baseUrl}/oidc/auth?${parameters}`
}

/** Exchanges the authorization code for the operator's access token. */
export function codeExchange(baseUrl: string, code: string): string {
  return `OPERATOR_TOKEN=$(curl -sS ${baseUrl}/oidc/token \\
  -d grant_type=authorization_code -d client_id=support-tool \\
  -d redirect_uri=${baseUrl}/support/callback \\
  -d code_verifier=${DEMO_PKCE.verifier} -d code=${code} |
  ${member('access_token')})`
}

/** All steps, as printed at the start. */
export function steps(config: Config, baseUrl: string): readonly Step[] {
  return [
    { title: 'Sign in as olivia, who works in support', commands: signIn(config, baseUrl) },
    {
      title: '1. Ask the support backend to act as alice',
      commands: `ISSUED=$(curl -sS ${baseUrl}/support/impersonations \\
  -H "Authorization: Bearer $OPERATOR_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"userId": "alice", "reason": "Order lost in the post", "ticketId": "SUP-123"}')
echo "$ISSUED"`,
    },
    {
      title: '2. Exchange the subject token for an access token of alice, with olivia as actor',
      commands: exchange(baseUrl, ACTOR_FIELDS),
    },
    { title: '3. See the orders of alice', commands: orders(baseUrl) },
    {
      title: 'Or ask the management API directly, as a backend does, and exchange',
      commands: [machineToMachine(config, baseUrl), exchange(baseUrl, ACTOR_FIELDS)].join('\n'),
    },
  ]
}

function signIn(config: Config, baseUrl: string): string {
  const password = shown(config.demoPassword, 'DEMO_PASSWORD')
  const visit = `curl -sS -o /dev/null -w '%{redirect_url}' -b "$JAR" -c "$JAR"`
  return `JAR=$(mktemp)
SIGN_IN=$(${visit} '${authorizationUrl(baseUrl)}')
RESUME=$(${visit} -d login=olivia --data-urlencode password=${password} "$SIGN_IN")
CODE=$(${visit} "$RESUME" | sed -n 's/.*[?&]code=\\([^&]*\\).*/\\1/p')
rm "$JAR"
${codeExchange(baseUrl, '"$CODE"')}
echo "Signed in: $\{#OPERATOR_TOKEN} characters of access token"`
}

function machineToMachine(config: Config, baseUrl: string): string {
  const secret = shown(config.supportBackendSecret, 'SUPPORT_BACKEND_SECRET')
  const binding = config.strict
    ? `,\n       "mayAct": {"sub": "olivia"}, "resource": "${baseUrl}/orders", "scope": "orders:read"`
    : ''
  return `M2M_TOKEN=$(curl -sS ${baseUrl}/oidc/token -u support-backend:${secret} \\
  -d grant_type=client_credentials -d resource=${baseUrl}/api -d scope=impersonate |
  ${member('access_token')})
ISSUED=$(curl -sS ${baseUrl}/api/subject-tokens \\
  -H "Authorization: Bearer $M2M_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"userId": "alice", "context": {"ticketId": "SUP-123", "reason": "Order lost"}${binding}}')
echo "$ISSUED"`
}

function exchange(baseUrl: string, actor: readonly string[]): string {
  const fields = [
    '-d client_id=support-tool',
    `-d grant_type=${TOKEN_EXCHANGE_GRANT_TYPE}`,
    '--data-urlencode "subject_token=$SUBJECT_TOKEN"',
    `-d subject_token_type=${ACCESS_TOKEN_TYPE}`,
    ...actor,
    `-d resource=${baseUrl}/orders -d scope=orders:read)`,
  ]
  return `SUBJECT_TOKEN=$(echo "$ISSUED" | ${member('subjectToken')})
EXCHANGED=$(curl -sS ${baseUrl}/oidc/token \\
  ${fields.join(' \\\n  ')}
echo "$EXCHANGED"
ACCESS_TOKEN=$(echo "$EXCHANGED" | ${member('access_token')})`
}

function orders(baseUrl: string): string {
  return `curl -sS ${baseUrl}/orders -H "Authorization: Bearer $ACCESS_TOKEN"; echo`
}

/** A filter that takes the value of a member out of JSON on one line. */
function member(name: string): string {
  return `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`
}

/** A secret for display: the demo value, which is public, or the name of the variable. */
function shown(secret: string, variable: keyof typeof DEMO_SECRETS): string {
  return secret === DEMO_SECRETS[variable] ? secret : `"$${variable}"`
}
