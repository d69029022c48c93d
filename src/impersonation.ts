import type { Middleware } from 'koa'
import type { Configuration, Provider } from 'oidc-provider'
import { assemble } from './assemble.ts'
import { checklist } from './checklist.ts'
import {
  type Configured,
  isWired,
  withImpersonation,
  withoutImpersonation,
} from './configuration.ts'
import { addRecorder, parseRecorder } from './events/recorders.ts'
import { configurationOf } from './host/instance.ts'
import { checkClassNames } from './host/models.ts'
import { checkPatched } from './host/patches.ts'
import { managementRoutes } from './http/routes.ts'
import { endImpersonation } from './impersonations/end.ts'
import { END, readFilter, readQuery } from './impersonations/inputs.ts'
import { getImpersonation, listImpersonations } from './impersonations/list.ts'
import { endAll } from './impersonations/marks.ts'
import { ISSUE_RULES, issueInProcess, previewIssue } from './issue/in-process.ts'
import { type ResolvedOptions, resolveOptions } from './options/defaults.ts'
import { readInput, resolve } from './options/rules.ts'
import type { RecordEvent, RecordFirstOptions } from './public/events.ts'
import type {
  ChecklistItem,
  EndOptions,
  Impersonation,
  ImpersonationFilter,
  ImpersonationPage,
  ImpersonationQuery,
  IssuedSubjectToken,
  IssueOptions,
  Preview,
  PreviewOptions,
  SubjectTokenRequest,
} from './public/objects.ts'
import type { ImpersonationOptions } from './public/options.ts'
import { type RequestListener, requestListener } from './shared/request-listener.ts'
import { endingAdapterOf } from './tokens/subject-token.ts'

function outOfOrder(): TypeError {
  return new TypeError(
    'an ImpersonationFeature is for one provider: call configure(configuration), give the answer to the provider unchanged, call register(provider) where impersonation is enabled, and then the rest: otherwise tokens would be issued without act',
  )
}

/**
 * The parts of impersonation, to build a provider by hand. In this order, for one provider:
 *
 * ```ts
 * const impersonation = new ImpersonationFeature({ enabled: true, managementApi: { resource, clients } })
 * const provider = new Provider(issuer, impersonation.configure(configuration))
 * impersonation.register(provider)
 * app.use(impersonation.routes())
 * ```
 *
 * `Provider` of this package does all but the last line.
 */
export class ImpersonationFeature {
  readonly #options: ResolvedOptions
  #configured: Configured | undefined
  #wired: Provider | undefined

  /**
   * @param options the value of `features.impersonation`
   * @throws TypeError naming the dotted path of an option that is unknown or wrong
   */
  constructor(options: ImpersonationOptions = {}) {
    this.#options = resolveOptions(options)
  }

  /** Whether anything is added to the provider at all. */
  get enabled(): boolean {
    return this.#options.enabled
  }

  /**
   * Wires impersonation into a provider's configuration and answers the result; the argument
   * stays as it is. It answers for the management API in `getResourceServerInfo`, sets
   * `ttl.SubjectToken`, and runs after the deployment's own `extraTokenClaims` and
   * `formats.customizers.jwt`. It switches no feature on.
   *
   * @throws TypeError where `features.clientCredentials` is not enabled, or
   * `features.resourceIndicators` is disabled
   */
  configure(configuration: Configuration = {}): Configuration {
    const plain = withoutImpersonation(configuration)
    if (!this.enabled) return plain
    if (this.#configured) throw outOfOrder()
    this.#configured = withImpersonation(plain, this.#options)
    return this.#configured.configuration
  }

  /**
   * Registers the token-exchange grant with the provider.
   *
   * @throws TypeError where the provider's configuration did not come out of {@link configure}: it
   * would issue tokens without `act`
   * @throws TypeError where the storage adapter cannot keep single use
   * @throws TypeError where a minifier renamed the classes of oidc-provider
   */
  register(provider: Provider): void {
    if (!this.enabled) return
    checkClassNames(provider)
    checkPatched(provider)
    const configured = this.#configured
    if (this.#wired || !configured || !isWired(configurationOf(provider), configured)) {
      throw outOfOrder()
    }
    assemble(provider, this.#options, configured.claims)
    this.#wired = provider
  }

  /**
   * Tries the storage out, with records of its own that it removes: whether it knows the model,
   * finds what was written, lets one of many callers win, keeps `consumed` and lets records expire.
   * Call it at the start, to find an incomplete adapter early. It takes a little over a second.
   * Resolves at once, with nothing, where impersonation is not enabled.
   *
   * Resolves the part of the checklist for production that the provider can tell. Print the lines
   * whose `ok` is `false`. A deployment works without them. Call it once the server listens: before
   * that, `ok` is `undefined` for what is looked for at the issuer's address.
   *
   * @throws TypeError before {@link register}
   * @throws Error where it cannot work: its message is one sentence about what is wrong, with the
   * storage's own error as `cause`
   */
  async check(): Promise<readonly ChecklistItem[]> {
    return this.enabled ? checklist(this.#registered) : []
  }

  /**
   * Whether impersonations can be seen and ended: `features.impersonation.ending.enabled` is not
   * `false`, and the storage adapter of `SubjectToken` can. `false` before {@link register}.
   */
  get canEnd(): boolean {
    return this.#wired !== undefined && endingAdapterOf.find(this.#wired) !== undefined
  }

  /**
   * Issues a subject token, as `POST …/subject-tokens` does after it has authenticated: for code in this
   * process, which needs no secret of the client. `limits`, `authorize`, `contextSchema`,
   * `requireBinding`, the event and its recorders (nothing acts before it is recorded, I13) are the same. The
   * caller decides who may ask.
   *
   * @throws TypeError before {@link register}, and for a wrong `as` or `accessTokenTtl`
   * @throws the errors of the management API, with its `error`, `error_description` and `statusCode`:
   * `errors.InvalidRequest`, `errors.AccessDenied`, {@link UserNotFound}, {@link TooManyRequests} and
   * {@link RecorderNotReady} (with `retryAfter`), {@link NotRecorded}
   * @throws {@link ClientNotNamed} where the client may not issue
   * @throws {@link ApprovalRequired} where `authorize` answers that a lead or the customer decides first
   * @throws the storage's error, or a hook's, where one fails: nothing is issued
   */
  async issue(request: SubjectTokenRequest, options: IssueOptions): Promise<IssuedSubjectToken> {
    return issueInProcess(this.#registered, request, resolve(ISSUE_RULES, options, 'issue'))
  }

  /**
   * Asks `authorize` what {@link issue} would decide now, with `isPreview: true`. Nothing is issued, stored,
   * counted or reported.
   *
   * @throws TypeError before {@link register}, and for a wrong `as`
   * @throws the errors of {@link issue} for a request that is wrong, a user who does not exist, and a
   * client that may not issue
   * @throws the error of a hook that fails
   */
  async preview(request: SubjectTokenRequest, options: PreviewOptions): Promise<Preview> {
    return previewIssue(this.#registered, request, resolve(ISSUE_RULES, options, 'preview'))
  }

  /**
   * An impersonation by its id; `undefined` where there is none, or its record has expired.
   *
   * @throws Error where {@link canEnd} is `false`
   * @throws the storage's error where it fails, as every method here
   */
  async get(id: string): Promise<Impersonation | undefined> {
    return getImpersonation(this.#ending, id)
  }

  /**
   * Impersonations, the newest first.
   *
   * @throws TypeError for a query with a member that is unknown or wrong
   */
  async list(query: ImpersonationQuery = {}): Promise<ImpersonationPage> {
    return listImpersonations(this.#ending, readQuery(query))
  }

  /**
   * Ends an impersonation: its subject token redeems nothing any more, its opaque access token is
   * inactive at once, and an API that checks refuses its JWT within seconds. The first end stays. One
   * whose access token has expired is ended in the 300 seconds after that, because an API may forgive
   * a difference of clocks, and not later.
   *
   * @returns the impersonation as it is then; `undefined` where there is none
   * @throws TypeError for a wrong member
   */
  async end(id: string, how: EndOptions = {}): Promise<Impersonation | undefined> {
    return endImpersonation(this.#ending, id, readInput(END, how))
  }

  /**
   * Ends all impersonations that match at this moment. With `actor`, `client` or `permit`, an exchange that is
   * under way issues nothing, and subject tokens that are issued in the next 5 seconds are refused, too.
   *
   * @returns how many this call ended
   * @throws TypeError for a filter without a member, or a wrong one
   */
  async endAll(filter: ImpersonationFilter, how: EndOptions = {}): Promise<number> {
    return endAll(this.#ending, readFilter(filter), readInput(END, how))
  }

  /**
   * Has events recorded before their answers leave (I13), for an audit. `record` is called at once:
   *
   * - `impersonation.issued`, `impersonation.started`: the answer waits until `record` resolves. Where it
   *   rejects or takes too long, the answer is 503 `temporarily_unavailable`, and what was issued is
   *   ended: cause `policy`.
   * - `impersonation.ended`: the end has been carried out. Whatever asked for it waits as long, and
   *   gets the answer that it would get without a recorder.
   *
   * Several recorders are called at the same time, and all have to resolve. Listeners of the same
   * events run after the answer, as without recorders. Of an answer of 503 they hear nothing but the end
   * of what was issued.
   *
   * @throws TypeError for a wrong argument, before {@link register}, and where {@link canEnd} is
   * `false`: what is not recorded could not be ended
   */
  recordFirst(record: RecordEvent, options?: RecordFirstOptions): void {
    const recorder = parseRecorder(record, options)
    const provider = this.#registered
    if (!this.canEnd) {
      throw new TypeError('recordFirst() needs impersonations that can be ended: see canEnd')
    }
    addRecorder(provider, recorder)
  }

  /** @throws TypeError before {@link register} */
  get #registered(): Provider {
    if (this.#wired) return this.#wired
    throw outOfOrder()
  }

  get #ending(): Provider {
    if (this.#wired && this.canEnd) return this.#wired
    throw new Error(
      'impersonations cannot be seen or ended here: see canEnd, and features.impersonation.ending',
    )
  }

  /**
   * The management API as Koa middleware, to be used beside the provider or, with
   * `provider.use(…)`, in front of it. Passes everything on where impersonation is not enabled.
   *
   * @throws TypeError before {@link register}
   */
  routes(): Middleware {
    if (!this.enabled) return (_ctx, next) => next()
    return managementRoutes(this.#registered)
  }

  /**
   * The management API as a Node request listener, for `http.createServer`, Express or Fastify.
   *
   * @throws TypeError before {@link register}
   */
  callback(): RequestListener {
    return requestListener(this.routes(), this.#wired)
  }
}
