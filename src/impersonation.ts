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
import { parseRecorder } from './events/emit.ts'
import { configurationOf } from './host/instance.ts'
import { checkClassNames } from './host/models.ts'
import { checkPatched } from './host/patches.ts'
import { instance } from './host/weak-cache.ts'
import { managementRoutes } from './http/routes.ts'
import { endImpersonation } from './impersonations/end.ts'
import { END, readFilter, readQuery } from './impersonations/inputs.ts'
import { getImpersonation, listImpersonations } from './impersonations/list.ts'
import { endAll } from './impersonations/marks.ts'
import { ISSUE_RULES, issueInProcess, previewIssue } from './issue/issue.ts'
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

function outOfOrder(): TypeError {
  return new TypeError(
    'an ImpersonationFeature is for one provider: create it with the unchanged result of configure(configuration), and call register(provider) first, or tokens would be issued without act',
  )
}

/**
 * The parts of impersonation, to build a provider by hand. Use them in this order, for one
 * provider:
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
   * @param options - the value of `features.impersonation`
   * @throws TypeError naming the dotted path of an option that is unknown or wrong
   */
  constructor(options: ImpersonationOptions = {}) {
    this.#options = resolveOptions(options)
  }

  /** `true` if anything is added to the provider. */
  get enabled(): boolean {
    return this.#options.enabled
  }

  /**
   * Wires impersonation into a provider's configuration and returns the result. The argument stays
   * as it is. The result resolves the management API in `getResourceServerInfo`, sets
   * `ttl.SubjectToken`, and runs after the deployment's own `extraTokenClaims` and
   * `formats.customizers.jwt`. It enables no feature.
   *
   * @throws TypeError if `features.clientCredentials` is not enabled, or
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
   * @throws TypeError if the provider's configuration did not come out of {@link configure}: it
   * would issue tokens without `act`
   * @throws TypeError if the storage adapter cannot keep single use
   * @throws TypeError if a minifier renamed the classes of oidc-provider
   */
  register(provider: Provider): void {
    if (!this.enabled) return
    checkClassNames(provider)
    checkPatched(provider)
    const configured = this.#configured
    const isOurs = configured && isWired(configurationOf(provider), configured)
    if (this.#wired || !isOurs) throw outOfOrder()
    assemble(provider, this.#options, configured)
    this.#wired = provider
  }

  /**
   * Tries the storage, with records of its own that it removes. It checks that the storage has the
   * model, finds the stored record, lets exactly one of many callers win, keeps `consumed` and lets
   * records expire. Call it at the start, to find an incomplete adapter early. It takes a little
   * over a second. If impersonation is not enabled, it resolves at once with an empty list.
   *
   * It resolves the lines of the checklist for production that the provider can check. Print the
   * lines whose `ok` is `false`. A deployment works without them.
   *
   * @throws TypeError before {@link register}
   * @throws Error if it cannot work. Its message is one sentence about the fault, with the
   * storage's own error as `cause`.
   */
  async check(): Promise<readonly ChecklistItem[]> {
    return this.enabled ? checklist(this.#registered) : []
  }

  /**
   * `true` if impersonations can be listed and ended: `features.impersonation.ending.enabled` is
   * not `false`, and the storage adapter of `SubjectToken` can do it. `false` before
   * {@link register}.
   */
  get canEnd(): boolean {
    return this.#wired !== undefined && instance(this.#wired).ending !== undefined
  }

  /**
   * Issues a subject token, as `POST …/subject-tokens` does after it has authenticated. It is for
   * code in this process, which needs no secret of the client. `limits`, `authorize`,
   * `contextSchema`, `requireBinding`, the event and its recorders (nothing acts before it is
   * recorded, I13) are the same. The caller decides who may request it.
   *
   * @throws TypeError before {@link register}, and for a wrong `as` or `accessTokenTtl`
   * @throws the errors of the management API, with its `error`, `error_description` and
   * `statusCode`: `errors.InvalidRequest`, `errors.AccessDenied`, {@link UserNotFound},
   * {@link TooManyRequests} and {@link RecorderNotReady} (with `retryAfter`), {@link NotRecorded}
   * @throws {@link ClientNotNamed} if the client may not issue
   * @throws {@link ApprovalRequired} if `authorize` requires a lead or the customer to decide
   * first
   * @throws the storage's error, or a hook's, if one fails. Nothing is issued then.
   */
  async issue(request: SubjectTokenRequest, options: IssueOptions): Promise<IssuedSubjectToken> {
    return issueInProcess(this.#registered, request, resolve(ISSUE_RULES, options, 'issue'))
  }

  /**
   * Calls `authorize` with `isPreview: true`, for the verdict that {@link issue} would get now.
   * Nothing is issued, stored, counted or reported.
   *
   * @throws TypeError before {@link register}, and for a wrong `as`
   * @throws the errors of {@link issue} for a request that is wrong, a user who does not exist,
   * and a client that may not issue
   * @throws the error of a hook that fails
   */
  async preview(request: SubjectTokenRequest, options: PreviewOptions): Promise<Preview> {
    return previewIssue(this.#registered, request, resolve(ISSUE_RULES, options, 'preview'))
  }

  /**
   * Returns an impersonation by its id; `undefined` if there is none, or its record has expired.
   *
   * @throws Error if {@link canEnd} is `false`
   * @throws the storage's error if it fails, as every method here
   */
  async get(id: string): Promise<Impersonation | undefined> {
    return getImpersonation(this.#registered, id)
  }

  /**
   * Lists impersonations, the newest first.
   *
   * @throws TypeError for a query with a member that is unknown or wrong
   */
  async list(query: ImpersonationQuery = {}): Promise<ImpersonationPage> {
    return listImpersonations(this.#registered, readQuery(query))
  }

  /**
   * Ends an impersonation. Its subject token redeems nothing any more, its opaque access token is
   * inactive at once, and an API that checks refuses its JWT within seconds. The first end stays.
   * After the access token has expired, its impersonation can be ended for 300 more seconds,
   * because an API may forgive a difference of clocks.
   *
   * @returns the impersonation after the end; `undefined` if there is none
   * @throws TypeError for a wrong member
   */
  async end(id: string, how: EndOptions = {}): Promise<Impersonation | undefined> {
    return endImpersonation(this.#registered, id, readInput(END, how))
  }

  /**
   * Ends all impersonations that match at this moment. With `actor`, `client` or `permit`, an
   * exchange that is under way issues nothing, and subject tokens that are issued in the next 5
   * seconds are refused, too.
   *
   * @returns the number that this call ended
   * @throws TypeError for a filter without a member, or a wrong one
   */
  async endAll(filter: ImpersonationFilter, how: EndOptions = {}): Promise<number> {
    return endAll(this.#registered, readFilter(filter), readInput(END, how))
  }

  /**
   * Records events before their responses leave (I13), for an audit. `record` is called at once.
   *
   * - `impersonation.issued`, `impersonation.started`: the response waits until `record` resolves.
   *   If it rejects or takes too long, the response is 503 `temporarily_unavailable`, and the
   *   impersonation is ended with the cause `policy`.
   * - `impersonation.ended`: the end has been carried out. Its caller waits as long, and gets the
   *   response that it would get without a recorder.
   *
   * Several recorders are called at the same time, and all have to resolve. Listeners of the same
   * events run after the response, as without recorders. If the response is 503, they get only the
   * end of the impersonation.
   *
   * @throws TypeError for a wrong argument, before {@link register}, and if {@link canEnd} is
   * `false`, because an impersonation that is not recorded could not be ended
   */
  recordFirst(record: RecordEvent, options?: RecordFirstOptions): void {
    const recorder = parseRecorder(record, options)
    const provider = this.#registered
    if (!this.canEnd) {
      throw new TypeError('recordFirst() needs impersonations that can be ended: see canEnd')
    }
    instance(provider).recorders.push(recorder)
  }

  /** @throws TypeError before {@link register} */
  get #registered(): Provider {
    if (this.#wired) return this.#wired
    throw outOfOrder()
  }

  /**
   * Returns the management API as Koa middleware, to be used beside the provider or, with
   * `provider.use(…)`, in front of it. If impersonation is not enabled, it passes everything on.
   *
   * @throws TypeError before {@link register}
   */
  routes(): Middleware {
    if (!this.enabled) return (_ctx, next) => next()
    return managementRoutes(this.#registered)
  }

  /**
   * Returns the management API as a Node request listener, for `http.createServer`, Express or
   * Fastify.
   *
   * @throws TypeError before {@link register}
   */
  callback(): RequestListener {
    return requestListener(this.routes(), this.#wired)
  }
}
