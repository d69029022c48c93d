import { readFileSync } from 'node:fs'
import { runInThisContext } from 'node:vm'
import pg from 'pg'
import manifest from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { PERMITS_RULES } from '../../packages/console/src/features/permits/server/shape.ts'
import { resourceServerShape } from '../../packages/resource-server/src/options.ts'
import { factsOf } from '../../scripts/option-samples.ts'
import { SUITES } from '../../scripts/test-suites.ts'
import { MAX_REQUESTS } from '../../src/http/current.ts'
import { resolveOptions } from '../../src/options/defaults.ts'
import {
  DEFAULT_SUBJECT_TOKEN_TTL,
  MAX_ACCESS_TOKEN_TTL,
  MAX_SUBJECT_TOKEN_TTL,
} from '../../src/shared/constants.ts'
import { LIST_SIZE } from '../../src/status-list/allocate.ts'
import { keptAfterRedemptionFor, MAX_CLOCK_DIFFERENCE } from '../../src/tokens/subject-token.ts'
import servers from '../resource-servers/package-lock.json' with { type: 'json' }

/** A sentence of a document with its figures in braces, and the figures as the code has them. */
export type Fact = readonly [sentence: string, ...figures: (number | string)[]]

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const found = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1] ?? ''
/** A constant of a module that does not export it. */
const constant = (path: string, name: string): number =>
  runInThisContext(found(path, new RegExp(`\\bconst ${name} = ([\\d_ *]+)$`, 'm')))
const secondsOf = (path: string, name: string) => constant(path, name) / 1000

const CACHE = 'packages/resource-server/src/status/cache.ts'
const KEYS = 'packages/resource-server/src/keys.ts'
const KIT = 'packages/browser/src/watching.ts'
const INPUTS = 'src/impersonations/inputs.ts'
const REQUEST = 'src/issue/request.ts'
const SIGN = 'src/status-list/sign.ts'

const { accessToken, limits, managementApi } = resolveOptions({})
const FRESH = constant(SIGN, 'LIST_TTL_SECONDS')
const WAIT = secondsOf(CACHE, 'FETCH_TIMEOUT_MS')
const SOON = secondsOf(SIGN, 'FRESH_MS') + FRESH + WAIT
const COPY = constant(SIGN, 'LIST_LIFE_SECONDS')
const CLOCK = Number(factsOf(resourceServerShape.clockTolerance).default)
const LATEST = COPY + CLOCK
const COVERED =
  secondsOf(KIT, 'LOOK_MS') +
  secondsOf(KIT, 'TIMEOUT_MS') +
  secondsOf('packages/browser/src/cover.ts', 'LOOK_MS')
const LISTS = constant(CACHE, 'MAX_LISTS')
const AFTER_EXPIRY = keptAfterRedemptionFor(0)
const KEPT = DEFAULT_SUBJECT_TOKEN_TTL + accessToken.maxTtl + AFTER_EXPIRY
const KEPT_MINUTES = Math.floor(KEPT / 60)
const TTL_MINUTES = DEFAULT_SUBJECT_TOKEN_TTL / 60
const HOURS = accessToken.maxTtl / 3600
const DAYS = MAX_ACCESS_TOKEN_TTL / 86_400
const UNKNOWN_KEY = secondsOf(KEYS, 'UNKNOWN_KEY_GAP_MS')
/** A guard gives up a fetch of the keys before that. */
const KEY_MINUTES = Number(found(KEYS, /STALE_AFTER_MS = ([\d_]+) -/).replaceAll('_', '')) / 60_000
const NODE = manifest.engines.node.slice(2)
const OLDEST = manifest.devDependencies['oidc-provider-oldest'].replace('npm:oidc-provider@', '')
const NODES = found('.github/workflows/versions.yml', /node: \[(.+)\]/).replaceAll('"', '')
const MATRIX = found('test/matrix.proof.ts', /const NODES = \['([\d., ']+)'\]/).replaceAll("'", '')
const TIMEOUT = [/\.or\((\d+)\)/, /value <= (\d+)/].map((at) =>
  Number(found('src/events/emit.ts', at)),
)
const { max: PG_POOL } = new pg.Pool().options
const BROWSERS = SUITES.find(({ name }) => name === 'browsers')?.about ?? ''
/** The packages of the Debian of the workflows. */
const DEBIAN = {
  'node:24-bookworm': [
    ...['15', '7.0', '10.11'],
    ...['1.2', '2.6', '1.19', '17', '2.4.12', '3.3.1'],
  ],
} as Record<string, string[]>
const [POSTGRES = '', REDIS = '', MARIADB = '', ...LANGUAGES] =
  DEBIAN[found('.github/workflows/nightly.yml', /image: (\S+)/)] ?? []
const [AUTHLIB = '', PYJWT = '', GO = '', JAVA = '', MOD_AUTH_OPENIDC = '', MOD_OAUTH2 = ''] =
  LANGUAGES
/** Major and minor version of a package in a lock. */
const minorOf = (packages: typeof lock.packages | typeof servers.packages, name: string) =>
  (Object(packages)[`node_modules/${name}`].version as string).replace(/\.\d+$/, '')
/** A constant of a server to copy, in seconds. */
const ofServer = (name: string) =>
  Number(
    found('examples/resource-servers/jose.mjs', new RegExp(`const ${name} = ([\\d_]+)`)).replace(
      '_',
      '',
    ),
  ) / 1000
const LOOK = secondsOf(KIT, 'LOOK_MS')
const CONSOLE = 'packages/console/src'
const FORMAT = 'packages/verify/src/format'
const DAY_S = 86_400
const permitSeconds = (name: 'lapse' | 'window') => Number(factsOf(PERMITS_RULES[name]).default)
const PAUSES = found(`${FORMAT}/delivery.ts`, /PAUSES_MS = \[([\d, ]+)\]/)
  .split(', ')
  .map(Number)

/** The dependencies of a package, but for packages of ours. */
const brought = (path: string) =>
  Object.keys(Object(lock.packages)[path].dependencies)
    .filter((name) => !name.startsWith(manifest.name))
    .map((name) => `\`${name}\``)
    .join(', ')

/** The figures of the documents that this table knows, by page. */
export const FACTS: Readonly<Record<string, readonly Fact[]>> = {
  'README.md': [
    ['expires after {an} hour by default', HOURS],
    ['You need oidc-provider {9.12.2} or later and Node.js {22.13} or later.', OLDEST, NODE],
    ['This is version {0.1}, the first one.', manifest.version.slice(0, 3)],
    ["Olivia's page is covered within {8} seconds.", COVERED],
    ['it expires after {ten} minutes or sooner.', TTL_MINUTES],
    ['refuses it within {8} seconds after the end.', SOON],
  ],
  'SECURITY.md': [
    ['impersonation` | {`@koa/router`, `jose`, `koa-body`} |', brought('')],
    ['`-testing` | {`jose`} |', brought('packages/testing')],
    [
      '{`oauth4webapi`, `preact`, `preact-render-to-string`, `rate-limiter-flexible`, `valibot`}',
      brought('packages/console'),
    ],
  ],
  'docs/ending.md': [
    [
      'it within **{8} seconds**. If the provider cannot be reached, it takes [up to {35} seconds]',
      SOON,
      LATEST,
    ],
    ['The page is covered within **{8} seconds**', COVERED],
    ['subject tokens that were issued up to {5} seconds later', MAX_CLOCK_DIFFERENCE],
    ['**{8} seconds** is the usual limit.', SOON],
    [
      'The guard uses a copy for {5} seconds, and then a request waits up to {2} seconds for a new one.',
      FRESH,
      WAIT,
    ],
    ['**{35} seconds** is the limit if the provider cannot be reached.', LATEST],
    ['until the copy is {30} seconds old.', COPY],
    ['If the clock of the API is behind, that adds up to {5} seconds.', CLOCK],
    ['If the clock is more than {30} seconds ahead', COPY],
    ['The provider tries again for {a} day.', DAYS],
    [
      'writes a number to the storage every {5} seconds.',
      secondsOf('src/status-list/allocate.ts', 'COUNT_EVERY_MS'),
    ],
    [
      'a loss of less than the last {5} seconds, or from',
      secondsOf('src/status-list/allocate.ts', 'COUNT_EVERY_MS'),
    ],
    ['+ {330} seconds, which is {75} minutes by default.', AFTER_EXPIRY, KEPT_MINUTES],
    ['A list has {1,048,576} places', LIST_SIZE],
    [
      'begins another list after {an} hour',
      secondsOf('src/status-list/allocate.ts', 'HOUR_MS') / 3600,
    ],
    ['Each list takes {128} KiB', LIST_SIZE / 8 / 1024],
    ['every {2.5} seconds, and holds {256} lists.', FRESH / 2, LISTS],
    ['An end then takes up to {9} seconds.', SOON + 1],
  ],
  'docs/production.md': [
    ['set accessToken.maxTtl to {900} or less', constant('src/checklist.ts', 'WITHOUT_END')],
    [
      'stream sends a line every {15} seconds, and must not be buffered.',
      secondsOf('packages/console/src/web/stream/stream.ts', 'HEARTBEAT_MS'),
    ],
    ['each `Pool` of `pg` opens up to {10}.', PG_POOL],
    ['Within {8} seconds, your API answers 401', SOON],
    ['refuse its JWT with 503, after {30} seconds at most', COPY],
    ['| a record of the provider | {75} minutes by default |', KEPT_MINUTES],
    ['Version {0.1.0} is the first one', manifest.version],
    [
      'So `peerDependencies` allows {9.12.2} and later 9.x, and not {10}.',
      ...manifest.peerDependencies['oidc-provider'].slice(2).split(' <'),
    ],
    ['| Node.js | {24, 26} | {22.13, 24, 26} |', NODES, MATRIX.replace('.0', '')],
    [
      '| oidc-provider | {9.13.3} | {9.12.2}, and the newest 9.x |',
      lock.packages['node_modules/oidc-provider'].version,
      OLDEST,
    ],
    [
      '| PostgreSQL | {15} | {15}, and {17} before a release |',
      POSTGRES,
      POSTGRES,
      found('.github/workflows/release.yml', /image: postgres:(\d+)/),
    ],
    ['| Redis | {7.0} | {7.0} |', REDIS, REDIS],
    ['| MariaDB | | {10.11} |', MARIADB],
    [
      'Chromium, {Firefox ESR}, {WebKitGTK} |',
      ...(/(Firefox ESR) and (WebKitGTK)/.exec(BROWSERS)?.slice(1) ?? []),
    ],
  ],
  'docs/runbook.md': [
    ['APIs that check the status refuse these tokens within {8} seconds.', SOON],
    ['For {5} seconds, the operator gets no new access token.', MAX_CLOCK_DIFFERENCE],
    ['The provider keeps about {75} minutes.', KEPT_MINUTES],
    ['The provider has the last {75} minutes:', KEPT_MINUTES],
    ['Machine tokens from before work for {600} seconds by default', managementApi.tokenTtl],
    ['may accept the old key for {ten} minutes more.', KEY_MINUTES],
    ['They work for {30} seconds at most, then 503.', COPY],
    ['a status list that is younger than {30} seconds.', COPY],
  ],
  'docs/troubleshooting.md': [
    ['from `needs-oidc-provider-{9.12.2}-or-later.js`', OLDEST],
    ['Run `npm install oidc-provider@^{9.12.2}`', OLDEST],
    [
      'and did not end within {5} seconds',
      secondsOf('packages/browser/src/only-tab.ts', 'LOCK_WAIT_MS'),
    ],
    [
      'more than {30} seconds ahead, or more than {3} minutes behind.',
      COPY,
      constant('packages/resource-server/src/status/fetch-list.ts', 'MAX_SKEW_S') / 60,
    ],
    [
      'closes it after less than {15} silent seconds.',
      secondsOf('packages/console/src/web/stream/stream.ts', 'HEARTBEAT_MS'),
    ],
    ['{50,000} such ends waited already', constant('src/impersonations/retry.ts', 'MAX_WAITING')],
    ['the storage failed for {a} day', DAYS],
  ],
  'docs/console.md': [
    [
      'for {ten} minutes after it is over',
      secondsOf(`${CONSOLE}/features/impersonations/server/continue.ts`, 'CONTINUABLE_MS') / 60,
    ],
    ['or {three} different ones by', constant(`${FORMAT}/alarm.ts`, 'DENIED_ACTS_PER_ALARM')],
    ['be [told] {three} times.', constant(`${FORMAT}/delivery.ts`, 'FAILURES_PER_ALARM')],
    [
      'one person has {12} open streams, and {60} requests to act in a minute.',
      constant(`${CONSOLE}/web/stream/stream.ts`, 'MAX_STREAMS_PER_PERSON'),
      constant(`${CONSOLE}/index.ts`, 'MAX_ISSUES'),
    ],
    [
      'works once, and lives for {a} minute.',
      constant(`${CONSOLE}/web/acting/asked-for.ts`, 'HAND_OVER_LIFETIME') / 60,
    ],
  ],
  'docs/approvals.md': [
    ['The window is {an} hour by default', permitSeconds('window') / 3600],
    ['If nobody decides within {a} day', permitSeconds('lapse') / DAY_S],
    [
      'for {ten} minutes.',
      Number(found('packages/console/src/features/permits/server/ask.ts', /EMERGENCY_S = (\d+)/)) /
        60,
    ],
    ['application for {a} day.', secondsOf(`${FORMAT}/kinds.ts`, 'DAY_MS') / DAY_S],
    [
      'if it began within {30} days',
      secondsOf(`${CONSOLE}/records/api/stops.ts`, 'RECENT_MS') / DAY_S,
    ],
    [
      'after {60} requests of an operator in {an} hour',
      constant(`${CONSOLE}/features/permits/server/ask.ts`, 'MAX_REQUESTS'),
      secondsOf(`${CONSOLE}/features/permits/server/ask.ts`, 'HOUR_MS') / 3600,
    ],
  ],
  'docs/notices.md': [
    ['at most once in {24} hours', secondsOf(`${FORMAT}/kinds.ts`, 'DAY_MS') / 3600],
    ['`digest` seconds, at least {10}.', secondsOf(`${FORMAT}/delivery.ts`, 'LEAST_QUIET_MS')],
    [
      'takes more than {50} seconds, the console tries again after {1}, {5} and {30} minutes, after {2} and {12} hours, and then every {24} hours.',
      Number(found(`${CONSOLE}/ledger/outbox/outbox.ts`, /timeoutMs = (\d+)_000,/)),
      ...PAUSES.map((minutes) => (minutes < 60 ? minutes : minutes / 60)),
    ],
    ['the same pauses and {ten} attempts.', constant(`${FORMAT}/delivery.ts`, 'MAX_FAILURES')],
  ],
  'docs/data-protection.md': [
    ['| {75} minutes by default |', KEPT_MINUTES],
    ['| {an} hour at most by default |', HOURS],
    [
      '| {two} hours at most by default |',
      HOURS + secondsOf('packages/browser/src/server/sessions.ts', 'SAID_MS') / 3600,
    ],
  ],
  'docs/events.md': [['`timeout` is {2} seconds by default, and {30} at most.', ...TIMEOUT]],
  'docs/http-api.md': [
    [
      'It lives for {10} minutes by default (`managementApi.tokenTtl`).',
      managementApi.tokenTtl / 60,
    ],
    ['1 to {255} characters, without control', limits.userIdLength],
    [
      'At most {4096} bytes of JSON and {32} levels |',
      limits.contextBytes,
      constant(REQUEST, 'MAX_CONTEXT_DEPTH'),
    ],
    ['URI, or 1 to {16} of them', constant(REQUEST, 'MAX_RESOURCES')],
    ['at most {2048} characters |', constant(REQUEST, 'MAX_RESOURCE_LENGTH')],
    [
      'The most that the access token will carry. At most {1024} characters',
      constant(REQUEST, 'MAX_SCOPE_LENGTH'),
    ],
    ['the configured lifetime ({10} minutes by default)', TTL_MINUTES],
    ['lives for {an} hour by default, and for up to {a} day', HOURS, DAYS],
    ['Keep an answer for {5} seconds at most', FRESH],
    ['The record goes after {75} minutes by default', KEPT_MINUTES],
    [
      '`limit` is 1 to {100}, and {25} by default.',
      constant(INPUTS, 'MAX_LIMIT'),
      constant('src/impersonations/list.ts', 'DEFAULT_LIMIT'),
    ],
    ['`reason` has 1 to {1024} characters.', constant(INPUTS, 'MAX_REASON_LENGTH')],
  ],
  'docs/adapters.md': [
    [
      'node:sqlite, Node {22.20}+ or {24.7}+',
      found('src/adapters/sqlite/database.ts', /needs Node (\S+) or/),
      found('src/adapters/sqlite/database.ts', /needs Node \S+ or (\S+),/),
    ],
    ['Redis {6.2}+', found('src/adapters/redis/index.ts', /adapter for Redis (\S+) and later/)],
    ['MariaDB {10.11}.', MARIADB],
  ],
  'docs/agents.md': [
    ['read for {five} minutes', Number(found('docs/agents.md', /accessTokenTtl: (\d+)/)) / 60],
  ],
  'docs/browser.md': [
    [
      'in Chromium {103}, Firefox {102}, Safari {16}.4 and later.',
      ...(found('packages/browser/scripts/bundle.ts', /target = \[(.*)\]/).match(/\d+/g) ?? []),
    ],
    ['every {5} seconds while it is visible, and notices within **{8} seconds**', LOOK, COVERED],
    ['with `left` for {ten} minutes', secondsOf('packages/browser/src/leaving.ts', 'KEPT_MS') / 60],
    ['it waits {5} seconds for', secondsOf('packages/browser/src/only-tab.ts', 'LOCK_WAIT_MS')],
    ['every {5} seconds while it is there', LOOK],
  ],
  'docs/frameworks.md': [
    ['You need Node.js {22.13} or later.', NODE],
    ['You need oidc-provider {9.12.2}, because', OLDEST],
    ['on Node.js {22.13} or later, and deploy', NODE],
    [
      'Express {5.3} brings `content-disposition` 2, whose types lack an export that `@types/koa` {3.0.3} imports',
      minorOf(lock.packages, 'express'),
      lock.packages['node_modules/@types/koa'].version,
    ],
  ],
  'docs/migrating.md': [],
  'docs/other-languages.md': [
    ['jose {6.2}', minorOf(servers.packages, 'jose')],
    ['Authlib {1.2}, PyJWT {2.6}', AUTHLIB, PYJWT],
    ['Go {1.19}', GO],
    ['Java {17}', JAVA],
    ['| {1.10} | no | keeps', minorOf(servers.packages, 'express-oauth2-jwt-bearer')],
    ['| {10.2} | no |', minorOf(servers.packages, '@fastify/jwt')],
    ['| {4.13} | no |', minorOf(servers.packages, 'hono')],
    ['| {5.2} | no |', minorOf(servers.packages, 'aws-jwt-verify')],
    ['| {2.4.12} | no |', MOD_AUTH_OPENIDC],
    ['| {3.3.1} | no |', MOD_OAUTH2],
    ['refuses an ended token within {8} seconds.', SOON],
    ['missing or older than {5} seconds, send', ofServer('LIST_MS')],
    ['`iat` is at most {30} seconds ago.', COPY],
    ['until {30} seconds after its fetch.', ofServer('LIST_MS_AT_MOST')],
    ['repeat your check every {5} seconds', FRESH],
    ['and wait {two} seconds at most.', ofServer('FETCH_MS')],
    ['if the keys are over {ten} seconds old.', ofServer('NEW_KEYS_MS')],
  ],
  'docs/policies.md': [['all, {an} hour by default and {a} day at most |', HOURS, DAYS]],
  'docs/server-rendered.md': [
    [
      'refreshes an open page every {five} seconds',
      Number(found('examples/nextjs/app/look.tsx', /\}, (\d+)\)/)) / 1000,
    ],
    [
      'a token can exceed {4,096} bytes.',
      constant('test/docs/browser-by-hand.ts', 'MAX_COOKIE_LENGTH'),
    ],
  ],
  'docs/testing.md': [
    ['learns of an end within [{8} seconds].', SOON],
    ['After an end, wait {8} seconds.', SOON],
    [
      '(seconds, at most {3600})',
      constant('packages/testing/src/configuration.ts', 'MAX_TOKEN_SECONDS'),
    ],
    ['accepts the token for {5} more seconds', CLOCK],
  ],
  'docs/what-changes.md': [
    ['`ttl.SubjectToken` over {3600} seconds.', MAX_SUBJECT_TOKEN_TTL],
    [
      'waits up to {2} seconds for your storage',
      secondsOf('src/impersonations/sign-out.ts', 'MAX_WAIT_MS'),
    ],
    ['issued in the next {5} seconds.', MAX_CLOCK_DIFFERENCE],
    ['`ttl.SubjectToken`, {600} seconds by default.', DEFAULT_SUBJECT_TOKEN_TTL],
    ['by `accessToken.maxTtl` and {330} seconds.', AFTER_EXPIRY],
  ],
  'docs/your-apis.md': [
    ['learns of an end within {8} seconds.**', SOON],
    ['of the end within [{35} seconds].', LATEST],
    ['within {8} seconds of the end', SOON],
    ['the last copy of the list is {30} seconds old', COPY],
    ['fetches the list every {5} seconds', FRESH],
    [
      'takes more than {30} seconds,**',
      secondsOf('packages/resource-server/src/uses/notify-uses.ts', 'RESPONSE_WAIT_MS'),
    ],
    [
      'After {ten} minutes without a request, the first one can wait {5} seconds for the keys',
      KEY_MINUTES,
      secondsOf(KEYS, 'FETCH_TIMEOUT_MS'),
    ],
    ['list fetched less than {28} seconds ago', COPY - WAIT],
    ['A request can wait {2} seconds', WAIT],
    [
      'fetches the keys every {five} minutes, and for an unknown key at most every {two} seconds.',
      secondsOf(KEYS, 'FRESH_FOR_MS') / 60,
      UNKNOWN_KEY,
    ],
  ],
  'docs/threat-model.md': [
    ['A token gets {20} answers in {10} seconds.', MAX_REQUESTS.requests, MAX_REQUESTS.seconds],
  ],
  'docs/invariants.md': [
    ['which is {3600} seconds by default. The subject token', accessToken.maxTtl],
    [
      'which is {600} seconds by default and {3600} at most.',
      DEFAULT_SUBJECT_TOKEN_TTL,
      MAX_SUBJECT_TOKEN_TTL,
    ],
    ['still good for {ten} minutes.', TTL_MINUTES],
  ],
}
