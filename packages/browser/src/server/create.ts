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
   * The route of `redirectUri`. To POST, it takes the form of the back office and asks the provider by a
   * redirect who the operator is. To GET, it comes back from there, exchanges, and leads to `next`
   * under a new id.
   *
   * @throws TypeError where other code has read the body of the request
   */
  accept(request: Request): Promise<Response>
  /**
   * The impersonation of this browser, or `undefined` where a customer visits in person. It asks your
   * store and nobody else.
   *
   * @param request a `Request`, or what else has `headers.get('cookie')`
   */
  current(request: WithHeaders): Promise<Impersonation | undefined>
  /**
   * The route of `endPath`, for POST by a page of this application. Ends the impersonation at the provider. If
   * the provider does not answer, the operator still acts, and can press the button again.
   */
  end(request: Request): Promise<Response>
  /**
   * Call it when a person signs out, and after you have shown that an impersonation is over. It ends an
   * impersonation that is active, and forgets it even if the provider does not answer.
   *
   * @returns headers to add to your answer: they take the cookie away
   */
  forget(request: WithHeaders): Promise<Headers>
}

/**
 * Sends nothing before the first request needs the provider. The functions need no `this`.
 *
 * @throws TypeError where an option is wrong
 */
export function createImpersonations(options: ImpersonationsOptions): Impersonations {
  const settings = checkOptions(options)
  const answers = answersFor(settings)
  let provider: ImpersonationProvider | undefined
  const surroundings = {
    settings,
    sessions: sessionsIn(settings.store),
    async findProvider() {
      // Not the promise: some servers do not let one request wait for what another asked.
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
