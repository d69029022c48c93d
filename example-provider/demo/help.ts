const ENVIRONMENT_VARIABLES: ReadonlyArray<
  readonly [name: string, meaning: string, byDefault: string]
> = [
  ['PORT', 'port to listen on; 0 takes a free one', '3000'],
  ['HOST', 'address to listen on', '127.0.0.1'],
  ['BASE_URL', 'origin under which everything is reached', 'http://localhost:<port>'],
  ['SHOP_PORT', 'port of the shop', 'PORT + 1'],
  ['SHOP_URL', 'origin of the shop', 'http://127.0.0.1:<port>'],
  ['DATA_DIR', 'folder for keys and data', 'example-provider/data'],
  ['STORAGE_URL', 'sqlite:<file>, redis://…, postgres://… or memory:', 'a file in DATA_DIR'],
  ['AUDIT_URL', 'with redis://…, where the audit is: postgres://… or sqlite:<file>', ''],
  ['JWKS_FILE', 'private ES256 signing keys, as a JSON Web Key Set', 'made at the first start'],
  ['COOKIE_KEYS', 'keys to sign cookies with, by comma', 'made at the first start'],
  ['SUPPORT_BACKEND_SECRET', 'secret of the client support-backend', 'support-backend-secret'],
  ['SUPPORT_WEB_SECRET', 'secret of the client support-web', 'support-web-secret'],
  ['COPILOT_SECRET', 'secret of the client copilot', 'copilot-secret'],
  ['DEMO_PASSWORD', 'password of every account', 'demo-password'],
  ['SMTP_URL', 'server for mail to customers: smtp://… or smtps://…', 'the page /mail shows it'],
  ['SLACK_WEBHOOK_URL', 'where alarms and approvals are posted', 'alarms stand in the log'],
  ['STRICT', '1: support staff must act, who signed in of late; reason and ticket', '0'],
  [
    'NODE_ENV',
    "'production' refuses demo and weak secrets, self-made keys, plain http",
    'development',
  ],
]

/** The text that `--help` prints. */
export function help(): string {
  const lines = ENVIRONMENT_VARIABLES.map(([name, meaning, byDefault]) => {
    const line = `  ${name.padEnd(24)}${meaning}`
    return byDefault ? `${line}\n${' '.repeat(26)}default: ${byDefault}` : line
  })
  return [
    'Starts the example: an OpenID provider, the support console, a shop with its API, and a backend.',
    '',
    'Usage: npm start                      prints where everything is',
    '       npm start -- --commands        prints the flow as shell commands, too',
    '       npm start -- --with-history    fills an empty audit with a year first: see below',
    '',
    'With --with-history, the audit has 2,000 impersonations of the last year, with approvals,',
    'emergencies, objections and alarms, which takes some seconds. It refuses an audit that has',
    'entries already, an audit elsewhere (STORAGE_URL), and NODE_ENV=production.',
    '',
    'Environment:',
    ...lines,
  ].join('\n')
}
