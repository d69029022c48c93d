import type { Provider } from 'oidc-provider-impersonation'
import {
  anObject,
  path as aPath,
  audit,
  directory,
  fail,
  functionOf,
  integers,
  oneOf,
  optional,
  origin,
  pattern,
  text,
  url,
} from './option-rules.ts'
import type { Application, SupportConsoleOptions } from './options.ts'

/** The options, checked and with the defaults. */
export interface Settings
  extends Pick<
    SupportConsoleOptions,
    'applications' | 'audit' | 'clientId' | 'customers' | 'machine' | 'onAlarm' | 'role'
  > {
  readonly path: string
  /** The public origin of the console. */
  readonly url: string
  /** The origin at which the provider is reached from here. */
  readonly providerUrl: string
  readonly managementPath: string
  readonly durations: readonly number[]
  /** The source of the pattern, and the pattern as it is tested: for the whole number. */
  readonly ticketPattern: { readonly source: string; readonly whole: RegExp } | undefined
  readonly ticketUrl: ((ticket: string) => string) | undefined
  readonly account:
    | (NonNullable<SupportConsoleOptions['account']> & { readonly path: string })
    | undefined
  readonly apis: readonly string[]
  readonly language: 'de' | 'en'
}

const AT = 'options'

const OPTIONS = [
  'clientId',
  'machine',
  'role',
  'customers',
  'applications',
  'audit',
  'path',
  'url',
  'providerUrl',
  'managementPath',
  'durations',
  'ticket',
  'account',
  'onAlarm',
  'apis',
  'language',
]

/**
 * Checks the options.
 *
 * @throws TypeError with the dotted path of the first option that is unknown or wrong
 */
export function settingsOf(provider: Provider, options: SupportConsoleOptions): Settings {
  const { impersonation } = provider
  if (impersonation?.enabled !== true) {
    throw new TypeError(
      'supportConsole(provider) needs a Provider of oidc-provider-impersonation with features.impersonation enabled: true',
    )
  }
  if (!impersonation.canEnd) {
    throw new TypeError(
      'supportConsole(provider) needs impersonations that can be seen and ended: leave out features.impersonation.lifecycle.enabled: false, and use a storage adapter that can end them (docs/adapters.md)',
    )
  }
  if (!hasSignOut(provider)) {
    throw new TypeError(
      'supportConsole(provider) needs features.rpInitiatedLogout, which is on by default: people sign out of its pages by it',
    )
  }
  anObject(AT, options, OPTIONS)
  const { machine, ticket, account } = options
  text(`${AT}.clientId`, options.clientId, 'the public client of the console')
  anObject(`${AT}.machine`, machine, ['clientId', 'clientSecret'])
  text(`${AT}.machine.clientId`, machine.clientId, 'a client with the grant client_credentials')
  text(`${AT}.machine.clientSecret`, machine.clientSecret, 'the secret of machine.clientId')
  functionOf(`${AT}.role`, options.role, '(account) => role or undefined')
  directory(`${AT}.customers`, options.customers)
  audit(`${AT}.audit`, options.audit)
  const applications = applicationsOf(options.applications)
  const path = options.path ?? '/console'
  aPath(`${AT}.path`, path)
  const { origin: ofIssuer, pathname } = new URL(provider.issuer)
  const isOfProvider = (one: string) => one === pathname || one.startsWith(`${pathname}/`)
  if (isOfProvider(path)) {
    fail(`${AT}.path must not be below the issuer ${provider.issuer}: its routes would be hidden`)
  }
  optional(`${AT}.url`, options.url, origin)
  optional(`${AT}.providerUrl`, options.providerUrl, (at, value) => origin(at, value, 'any'))
  optional(`${AT}.managementPath`, options.managementPath, aPath)
  optional(`${AT}.durations`, options.durations, (at, value) => integers(at, value, 1, 86_400))
  optional(`${AT}.onAlarm`, options.onAlarm, functionOf)
  optional(`${AT}.language`, options.language, (at, value) => oneOf(at, value, ['de', 'en']))
  optional(`${AT}.ticket`, ticket, (at, value) => anObject(at, value, ['pattern', 'url']))
  optional(`${AT}.ticket.pattern`, ticket?.pattern, pattern)
  optional(`${AT}.ticket.url`, ticket?.url, functionOf)
  optional(`${AT}.account`, account, (at, value) =>
    anObject(at, value, ['clientId', 'path', 'describe']),
  )
  const accountPath = account?.path ?? '/account'
  if (account) {
    text(`${AT}.account.clientId`, account.clientId, 'the public client of the page')
    aPath(`${AT}.account.path`, accountPath)
    optional(`${AT}.account.describe`, account.describe, functionOf)
    if (isOfProvider(accountPath) || isBelow(accountPath, path) || isBelow(path, accountPath)) {
      fail(
        `${AT}.account.path and ${AT}.path must be apart from each other and from the issuer: ${accountPath}, ${path}, ${pathname}`,
      )
    }
  }
  const apis = options.apis ?? []
  if (!Array.isArray(apis)) fail(`${AT}.apis must be a list of paths, such as ['/orders']`)
  for (const [index, api] of apis.entries()) aPath(`${AT}.apis[${index}]`, api)

  const source = ticket?.pattern?.source
  return Object.freeze({
    clientId: options.clientId,
    machine: Object.freeze({ ...machine }),
    role: options.role,
    customers: options.customers,
    applications,
    audit: options.audit,
    onAlarm: options.onAlarm,
    path,
    url: originOf(options.url) ?? ofIssuer,
    providerUrl: originOf(options.providerUrl) ?? ofIssuer,
    managementPath: options.managementPath ?? impersonation.managementApi.prefix,
    durations: Object.freeze([...(options.durations ?? [])]),
    ticketPattern:
      source === undefined ? undefined : { source, whole: new RegExp(`^(?:${source})$`, 'u') },
    ticketUrl: ticket?.url,
    account: account && Object.freeze({ ...account, path: accountPath }),
    apis: Object.freeze([...apis]),
    language: options.language ?? 'en',
  })
}

function hasSignOut(provider: Provider): boolean {
  try {
    return provider.pathFor('end_session') !== ''
  } catch {
    return false
  }
}

function applicationsOf(applications: readonly Application[]): readonly Application[] {
  const at = `${AT}.applications`
  if (!Array.isArray(applications) || applications.length === 0) {
    fail(
      `${at} must be a list of at least one application: { name, url, clientId, resource, scopes }`,
    )
  }
  const seen = new Set<string>()
  return applications.map((application: Application, index) => {
    const here = `${at}[${index}]`
    anObject(here, application, ['name', 'url', 'clientId', 'resource', 'scopes'])
    text(`${here}.name`, application.name, 'how the console names the application')
    url(`${here}.url`, application.url)
    text(`${here}.clientId`, application.clientId, 'the client of the application')
    text(`${here}.resource`, application.resource, 'the resource indicator of its API')
    anObject(`${here}.scopes`, application.scopes, ['read', 'change'])
    text(`${here}.scopes.read`, application.scopes.read, 'the scope to look at data')
    optional(`${here}.scopes.change`, application.scopes.change, (where, value) =>
      text(where, value, 'the scope to change data; leave it out where there is none'),
    )
    if (seen.has(application.clientId)) {
      fail(
        `${here}.clientId is ${application.clientId} again: each application has a client of its own`,
      )
    }
    seen.add(application.clientId)
    return Object.freeze({ ...application, scopes: Object.freeze({ ...application.scopes }) })
  })
}

function isBelow(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`)
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).origin
}
