import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { Configuration, Part, RequestMember } from './configuration.ts'
import { CouldNotRun } from './could-not-run.ts'
import { basic, type Form, formBody, type Send } from './http.ts'
import { isRequestMember, setAt } from './issue-members.ts'
import { type Answer, Skip, Violation } from './outcome.ts'
import type { Redaction } from './redaction.ts'

export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** What an issue request says, by the words of the profile. A value may be wrong on purpose. */
export type IssueMembers = { readonly [M in RequestMember]?: unknown }

export interface IssueInit {
  /** `null` sends none. */
  readonly token?: string | null
  readonly contentType?: string
  /** In place of the members. */
  readonly body?: string
  /** Members that the profile does not have. */
  readonly extra?: object
}

export interface Client {
  readonly id: string
  readonly secret?: string | undefined
}

/** A subject token that was issued, and the id of its impersonation. */
export interface Issued {
  readonly subjectToken: string
  readonly id: string
  readonly answer: Answer
}

/** The server under test, with the configuration of this run. */
export class Server {
  readonly configuration: Configuration
  readonly issuer: string
  readonly discovery: Readonly<Record<string, unknown>>
  readonly send: Send
  readonly redaction: Redaction
  readonly #signal: AbortSignal
  readonly #machineTokens = new Map<string, string>()
  #keys: ReturnType<typeof createLocalJWKSet> | undefined

  constructor(
    given: Pick<Server, 'configuration' | 'issuer' | 'discovery' | 'send' | 'redaction'>,
    signal: AbortSignal,
  ) {
    this.#signal = signal
    this.configuration = given.configuration
    this.issuer = given.issuer
    this.discovery = given.discovery
    this.send = given.send
    this.redaction = given.redaction
  }

  /** @throws Skip where the configuration does not have it */
  need<T>(value: T | undefined | null, path: string): T {
    if (value === undefined || value === null) throw new Skip(`the configuration has no ${path}`)
    return value
  }

  /** Waits, unless the run is interrupted. */
  wait(milliseconds: number): Promise<void> {
    return setTimeout(milliseconds, undefined, { signal: this.#signal })
  }

  claimsPart(part: Part): boolean {
    return this.configuration.without?.includes(part) !== true
  }

  /** The URL of an endpoint: of the configuration, or by its name in discovery. */
  endpoint(name: keyof NonNullable<Configuration['endpoints']>, inDiscovery: string): string {
    const found = this.configuration.endpoints?.[name] ?? this.discovery[inDiscovery]
    if (typeof found === 'string') return found
    throw new Violation(
      `discovery has no ${inDiscovery}, nor the configuration endpoints.${name}; a server without this part is named so in \`without\``,
    )
  }

  postForm(
    url: string,
    what: string,
    form: Form,
    client?: Client,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const isConfidential = client?.secret !== undefined
    const authorization = isConfidential ? basic(client.id, client.secret ?? '') : undefined
    this.redaction.add(authorization, 'client credentials')
    return this.send(url, {
      what,
      method: 'POST',
      headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
      body: formBody({ ...(client && !isConfidential ? { client_id: client.id } : {}), ...form }),
    })
  }

  /** Asks for an access token of the machine client. `null` asks for no scope. */
  askForMachineToken(scope?: string | null): Promise<Answer> {
    const { client, token } = this.configuration.issue
    const form = {
      grant_type: 'client_credentials',
      ...token,
      ...(scope === undefined ? {} : { scope }),
    }
    const what = 'the machine client asks for an access token'
    return this.postForm(this.endpoint('token', 'token_endpoint'), what, form, client)
  }

  async machineToken(scope?: string): Promise<string> {
    const kept = this.#machineTokens.get(scope ?? '')
    if (kept !== undefined) return kept
    const answer = await this.askForMachineToken(scope)
    const token = answer.json.access_token
    if (typeof token !== 'string') throw new Violation('the machine client got no token', answer)
    this.#machineTokens.set(scope ?? '', token)
    return token
  }

  /** Sends an issue request: for the configured user, where nothing else is said. */
  async issue(members: IssueMembers = {}, init: IssueInit = {}): Promise<Answer> {
    const { url, always, members: names, answer: answerNames } = this.configuration.issue
    const body: Record<string, unknown> = structuredClone({ ...always })
    for (const [member, value] of Object.entries({ user: this.configuration.user, ...members })) {
      if (value === undefined || !isRequestMember(member)) continue
      setAt(body, this.need(names[member], `issue.members.${member}`).split('.'), value)
    }
    const token = init.token === undefined ? await this.machineToken() : init.token
    const answer = await this.send(url, {
      what: 'the machine client asks for a subject token',
      method: 'POST',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        'content-type': init.contentType ?? 'application/json',
      },
      body: init.body ?? JSON.stringify({ ...body, ...init.extra }),
    })
    this.redaction.add(answer.json[answerNames.subjectToken ?? ''], 'subject token')
    return answer
  }

  /** Issues a subject token. @throws Violation where there is none */
  async issued(members: IssueMembers = {}): Promise<Issued> {
    const answer = await this.issue(members)
    const subjectToken = answer.json[this.configuration.issue.answer.subjectToken ?? '']
    if (typeof subjectToken !== 'string' || answer.status >= 300) {
      throw new Violation(`no subject token was issued: ${answer.status}`, answer)
    }
    const named = answer.headers.get('location')?.split('/').at(-1)
    const id = named ?? createHash('sha256').update(subjectToken).digest('base64url')
    return { subjectToken, id, answer }
  }

  /** The exchange by the configured client; what `form` says replaces, and `null` leaves out. */
  exchange(form: Form, client: Client = this.configuration.exchange.client): Promise<Answer> {
    const endpoint = this.endpoint('token', 'token_endpoint')
    const complete = this.exchangeForm(form)
    return this.postForm(endpoint, `${client.id} exchanges`, complete, client)
  }

  exchangeForm(form: Form): Form {
    const { exchange, operator } = this.configuration
    const actor = operator?.always === true ? { actor_token: operator.token } : {}
    const hasActor = Object.hasOwn({ ...actor, ...form }, 'actor_token')
    return {
      grant_type: TOKEN_EXCHANGE,
      subject_token_type: ACCESS_TOKEN_TYPE,
      resource: exchange.resource,
      scope: exchange.scope,
      ...actor,
      ...(hasActor ? { actor_token_type: ACCESS_TOKEN_TYPE } : {}),
      ...form,
    }
  }

  /** Issues and exchanges. @throws Violation where there is no access token */
  async impersonate({
    members = {},
    form = {},
    client,
  }: {
    members?: IssueMembers
    form?: Form
    client?: Client
  } = {}): Promise<Issued & { readonly accessToken: string; readonly exchanged: Answer }> {
    const issued = await this.issued(members)
    const exchanged = await this.exchange({ subject_token: issued.subjectToken, ...form }, client)
    const accessToken = exchanged.json.access_token
    if (typeof accessToken !== 'string') {
      throw new Violation(`no access token came of the exchange: ${exchanged.status}`, exchanged)
    }
    return { ...issued, accessToken, exchanged }
  }

  /**
   * The claims of an access token: of a JWT after its signature was verified, of an opaque one by
   * introspection.
   */
  async read(accessToken: string, answer: Answer): Promise<JWTPayload> {
    if (accessToken.split('.').length !== 3) return (await this.introspect(accessToken)).json
    try {
      const { payload } = await jwtVerify(accessToken, await this.keys(), { issuer: this.issuer })
      return payload
    } catch (error) {
      if (error instanceof CouldNotRun) throw error
      const reason = error instanceof Error ? error.message : error
      throw new Violation(`the access token is no valid JWT of ${this.issuer}: ${reason}`, answer)
    }
  }

  introspect(token: string): Promise<Answer> {
    const { client } = this.need(this.configuration.introspection, 'introspection')
    const endpoint = this.endpoint('introspection', 'introspection_endpoint')
    return this.postForm(endpoint, 'introspection', { token }, client)
  }

  async keys(): Promise<ReturnType<typeof createLocalJWKSet>> {
    if (this.#keys === undefined) {
      const { json } = await this.send(this.endpoint('jwks', 'jwks_uri'), { what: 'the key set' })
      const { keys } = json
      if (!Array.isArray(keys)) throw new CouldNotRun('the key set (jwks_uri) has no keys')
      this.#keys = createLocalJWKSet({ keys })
    }
    return this.#keys
  }

  /** A token that differs in one character, kept out of reports as the token is. */
  alter(token: string): string {
    const at = token.length - 10
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
    this.redaction.add(altered, 'altered token')
    return altered
  }
}
