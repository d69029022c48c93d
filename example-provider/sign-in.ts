// The sign-in page of the provider, `/sign-in/:uid`: operators and customers sign in alike. A real
// deployment asks operators for a second factor.
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import type { Provider } from 'oidc-provider-impersonation'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Accounts } from './accounts.ts'
import { html } from './demo/html.ts'
import { showPage } from './demo/page.ts'
import { explainErrors } from './demo/provider-pages.ts'
import { wordsFor } from './demo/words/words.ts'

/**
 * Fetch Metadata: browsers send the origin of a form. The cookie alone does not protect against
 * another port of this host, and the path protects only because its `uid` is random.
 */
const refuseOtherOrigins: Middleware = async (ctx, next) => {
  // Old browsers send nothing. `none` is an action of the person: a reload of the page.
  const isOwn = ['', 'none', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'))
  if (ctx.method === 'POST' && !isOwn) ctx.throw(403, 'a form of another origin')
  await next()
}

const form = koaBody({ formLimit: 8192, json: false, multipart: false, text: false })

export function signInPage(provider: Provider, accounts: Accounts): Middleware {
  const beginGuess = countGuesses()
  const router = new Router({ prefix: '/sign-in' })
  router.use(explainErrors, refuseOtherOrigins)

  router.get('/:uid', async (ctx) => {
    await provider.interactionDetails(ctx.req, ctx.res)
    showForm(ctx, 200)
  })

  router.post('/:uid', form, async (ctx) => {
    // This check comes first: without a running sign-in, the form must not test passwords.
    await provider.interactionDetails(ctx.req, ctx.res)
    const login = field(ctx, 'login').trim().toLowerCase()
    const guess = await beginGuess(ctx.ip, login)
    if (guess instanceof RateLimiterRes) {
      ctx.set('Retry-After', String(Math.ceil(guess.msBeforeNext / 1000)))
      return showForm(ctx, 429, 'tooMany')
    }
    const person = await accounts.authenticate(login, field(ctx, 'password'))
    if (!person) return showForm(ctx, 401, 'wrong')
    await guess.succeeded()
    await finish(ctx, { login: { accountId: person.id, amr: ['pwd'] } })
  })

  router.post('/:uid/abort', async (ctx) => {
    await finish(ctx, { error: 'access_denied', error_description: 'sign-in was cancelled' })
  })

  async function finish(ctx: Context, result: Parameters<Provider['interactionResult']>[2]) {
    const next = await provider.interactionResult(ctx.req, ctx.res, result, {
      mergeWithLastSubmission: false,
    })
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 303
    ctx.redirect(next)
  }

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

/** The time for which a wrong password counts, in seconds. */
const WINDOW_S = 600

/**
 * Counts wrong passwords: of one login from one address, and of one address with any logins. A guess
 * counts before its password is checked, so that parallel guesses do not avoid the limit. Each copy
 * of the provider counts for itself.
 */
function countGuesses() {
  const ofLogin = new RateLimiterMemory({ points: 20, duration: WINDOW_S })
  const ofAddress = new RateLimiterMemory({ points: 200, duration: WINDOW_S })
  return async (ip: string, login: string) => {
    // A host can use any address of its /64 network.
    const address = ip.includes('.') ? ip : ip.split(':').slice(0, 4).join(':')
    // No login is longer. A longer text must not fill the memory.
    const key = `${address}|${login.slice(0, 64)}`
    try {
      await ofAddress.consume(address)
      await ofLogin.consume(key)
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) return rejection
      throw rejection
    }
    return {
      async succeeded() {
        await ofAddress.reward(address)
        await ofLogin.delete(key)
      },
    }
  }
}

function showForm(ctx: Context, status: number, problem?: 'tooMany' | 'wrong'): void {
  const { signIn: words } = wordsFor(ctx)
  ctx.status = status
  showPage(
    ctx,
    words.title,
    html`${problem && html`<p role="alert">${words[problem]}</p>`}
<form method="post">
<label for="login">${words.login}</label>
<input id="login" name="login" value="${field(ctx, 'login')}" autocomplete="username" autocapitalize="none" required autofocus>
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div>
<button>${words.submit}</button>
<button formaction="${ctx.path}/abort" formnovalidate>${words.cancel}</button>
</div>
</form>`,
  )
}

/** Reads a form field that appears exactly once. */
function field(ctx: Context, name: string): string {
  const body: unknown = ctx.request.body
  const value = new Map(Object.entries(body ?? {})).get(name)
  return typeof value === 'string' ? value : ''
}
