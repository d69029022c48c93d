import { inWords } from '../errors.ts'
import { discoverProvider, type ImpersonationProvider } from '../provider.ts'
import { failure } from '../refusal.ts'
import { begin, finish } from './accept.ts'
import { impersonationOf } from './acting.ts'
import { answersFor } from './answers.ts'
import { ACTING_COOKIE, readCookie, type WithHeaders } from './cookies.ts'
import { end, forget } from './end.ts'
import type { Impersonation } from './impersonation.ts'
import { checkOptions, type ImpersonationsOptions } from './options.ts'
import { sessionsIn } from './sessions.ts'

/** Lets operators act in an application that renders its pages on a server. */
export interface Impersonations {
  /**
   * The route of `redirectUri`. On POST, it takes the form of the back office and redirects to the
   * provider to find the operator. On GET, it comes back from there, exchanges the token, and
   * redirects to `next` under a new id.
   *
   * @throws TypeError if other code has read the body of the request
   */
  accept(request: Request): Promise<Response>
  /**
   * The impersonation of this browser, or `undefined` if a customer visits in person. It reads
   * only your store.
   *
   * @param request - a `Request`, or another object with `headers.get('cookie')`
   */
  current(request: WithHeaders): Promise<Impersonation | undefined>
  /**
   * The route of `endPath`, for POST by a page of this application. It ends the impersonation at
   * the provider. If the provider does not respond, the operator still acts, and can press the
   * button again.
   */
  end(request: Request): Promise<Response>
  /**
   * Call it when a person signs out, and after you have shown that an impersonation is over. It
   * ends an active impersonation, and removes it even if the provider does not respond.
   *
   * @returns headers to add to your response, which remove the cookie
   */
  forget(request: WithHeaders): Promise<Headers>
}

/**
 * Creates the functions. It sends nothing before the first request needs the provider. The
 * functions need no `this`.
 *
 * @throws TypeError if an option is wrong
 */
export function createImpersonations(options: ImpersonationsOptions): Impersonations {
  const settings = checkOptions(options)
  const answers = answersFor(settings)
  let provider: ImpersonationProvider | undefined
  const surroundings = {
    settings,
    sessions: sessionsIn(settings.store),
    async findProvider() {
      // Not the promise: some servers do not let one request wait for another's promise.
      provider ??= await discoverProvider(settings.provider).catch(inWords(failure))
      return provider
    },
  }
  return Object.freeze<Impersonations>({
    async accept(request) {
      if (request.method === 'POST') return begin(request, surroundings, answers)
      if (request.method === 'GET') return finish(request, surroundings, answers)
      return new Response(null, { status: 405, headers: { allow: 'GET, POST' } })
    },
    async current(request) {
      const id = readCookie(request, ACTING_COOKIE)
      const session = await surroundings.sessions.read(id)
      return id && session ? impersonationOf(id, session, surroundings) : undefined
    },
    async end(request) {
      if (request.method === 'POST') return end(request, surroundings, answers)
      return new Response(null, { status: 405, headers: { allow: 'POST' } })
    },
    forget: (request) => forget(request, surroundings),
  })
}
