import { randomUUID } from 'node:crypto'
import {
  flag,
  integer,
  list,
  members,
  oneOf,
  optional,
  type Parse,
  plainObject,
  secret,
  text,
  texts,
  url,
} from './parse.ts'

/** The parts of the profile: a server that does not claim one names it in `without`. */
export const PART_NAMES = [
  'issue',
  'approval',
  'binding',
  'exchange',
  'dpop',
  'single-use',
  'actor',
  'software',
  'end',
  'current',
  'status',
] as const
export type Part = (typeof PART_NAMES)[number]

/** How the members of an issue request are called by the profile: paths in the JSON body. */
export const REQUEST_MEMBERS = {
  user: 'userId',
  context: 'context',
  operator: 'mayAct.sub',
  client: 'mayAct.clientId',
  resource: 'resource',
  scope: 'scope',
  lifetime: 'expiresIn',
} as const
export type RequestMember = keyof typeof REQUEST_MEMBERS

const ANSWER_MEMBERS = { subjectToken: 'subjectToken', lifetime: 'expiresIn' } as const

/** Names in place of those of the profile; `null` for what the server does not have. */
function mapping<N extends string>(
  defaults: Readonly<Record<N, string>>,
): Parse<Readonly<Record<N, string | null>>> {
  const name: Parse<string | null | undefined> = (value, path) =>
    value === null ? null : optional(text)(value, path)
  // Object.keys loses the names.
  const names = Object.keys(defaults) as N[]
  return (value, path) => {
    const known = Object.fromEntries(names.map((one) => [one, name]))
    const given = members(known)(value ?? {}, path)
    return Object.fromEntries(
      names.map((one) => [one, given[one] === undefined ? defaults[one] : given[one]]),
    ) as Record<N, string | null>
  }
}

const client = members({ id: text, secret: optional(secret) })
const operator = members({
  sub: text,
  token: secret,
  always: optional(flag),
  withoutScope: optional(secret),
  revoked: optional(secret),
  bound: optional(secret),
})

const parse = members({
  issue: members({
    url,
    client: members({ id: text, secret }),
    token: texts,
    always: optional(plainObject),
    members: mapping(REQUEST_MEMBERS),
    answer: mapping(ANSWER_MEMBERS),
  }),
  user: text,
  unknownUser: optional(text),
  refusedUser: optional(text),
  approval: optional(members({ user: text })),
  exchange: members({
    client,
    otherClient: optional(members({ id: text, secret })),
    clientWithoutGrant: optional(client),
    software: optional(members({ id: text, secret })),
    softwareResource: optional(text),
    resource: text,
    otherResource: optional(text),
    opaqueResource: optional(text),
    scope: text,
    otherScope: optional(text),
  }),
  operator: optional(operator),
  otherOperator: optional(members({ sub: text, token: secret })),
  management: optional(
    members({
      url,
      show: optional(text),
      end: optional(text),
      endMany: optional(text),
      readScope: text,
      endScope: text,
    }),
  ),
  introspection: optional(members({ client: members({ id: text, secret }) })),
  endpoints: optional(
    members({
      token: optional(url),
      jwks: optional(url),
      userinfo: optional(url),
      introspection: optional(url),
      current: optional(url),
      endCurrent: optional(url),
      statusLists: optional(url),
    }),
  ),
  processes: optional(list(url)),
  without: optional(list(oneOf(PART_NAMES))),
  copies: optional(integer(2, 200)),
})

export type Configuration = ReturnType<typeof parse> & {
  readonly unknownUser: string
  readonly copies: number
}

/** @throws CouldNotRun that names the member by its path */
export function readConfiguration(value: unknown): Configuration {
  const { unknownUser = `no-such-user-${randomUUID()}`, copies = 20, ...given } = parse(value, '')
  const { issue, operator } = given
  // What is bound to an operator cannot be exchanged without.
  const always = operator?.always ?? boundBy(issue, 'operator') !== undefined
  return { ...given, ...(operator && { operator: { ...operator, always } }), unknownUser, copies }
}

/** What every issue request is bound to by `issue.always`. */
export function boundBy(
  { always, members: names }: Pick<Configuration['issue'], 'always' | 'members'>,
  member: RequestMember,
): unknown {
  return names[member]?.split('.').reduce<unknown>((value, name) => Object(value)[name], always)
}
