import { ImpersonationError } from '../errors.ts'
import type { Impersonation } from './impersonation.ts'
import { type ImpersonationMessageCode, messageCodeOf, messageOf, plainPage } from './message.ts'
import type { Settings } from './options.ts'

interface AnswerOptions {
  /** Headers `Set-Cookie`. */
  readonly cookies?: readonly string[] | undefined
  readonly impersonation?: Impersonation | undefined
  /** The operator, if the provider has named who is signed in. */
  readonly actor?: string | undefined
}

/** Every response of the routes, so that none of them is cached. */
export interface Answers {
  say(request: Request, code: ImpersonationMessageCode, options?: AnswerOptions): Promise<Response>
  /**
   * Shows the reason why the provider did not do it, and reports faults of the set-up to the
   * application.
   *
   * @throws the error, if it is another than {@link ImpersonationError}
   */
  refuse(request: Request, error: unknown, options?: AnswerOptions): Promise<Response>
  redirect(url: string, cookies: readonly string[]): Response
}

export function answersFor({ respond, onError }: Settings): Answers {
  async function say(
    request: Request,
    code: ImpersonationMessageCode,
    { cookies = [], actor, impersonation }: AnswerOptions = {},
  ): Promise<Response> {
    const message = messageOf(code, { actor, impersonation })
    const page = respond ? await respond(message, request) : plainPage(message)
    return withHeaders(page, cookies)
  }
  return {
    say,
    async refuse(request, error, options) {
      if (!(error instanceof ImpersonationError)) throw error
      const code = messageCodeOf(error.code)
      // The application has to be set up for it, whoever the operator is.
      if (messageOf(code, {}).status >= 500 || code === 'consent_required') onError(error)
      return say(request, code, options)
    },
    redirect(url, cookies) {
      return withHeaders(new Response(null, { status: 303, headers: { location: url } }), cookies)
    },
  }
}

/** The headers of some responses cannot be changed. */
function withHeaders(response: Response, cookies: readonly string[]): Response {
  const headers = new Headers(response.headers)
  headers.set('cache-control', 'no-store')
  for (const each of cookies) headers.append('set-cookie', each)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
