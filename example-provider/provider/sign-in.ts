import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { errors, type Provider } from 'oidc-provider'
import { html, showPage } from '../http/page.ts'
import type { Accounts } from './accounts.ts'
import type { PasswordThrottle } from './throttle.ts'

const form = koaBody({
  formLimit: 8192,
  json: false,
  multipart: false,
  text: false,
  urlencoded: true,
})

/** The sign-in page of the provider: `/sign-in/:uid`. */
export function signInPage(
  provider: Provider,
  accounts: Accounts,
  throttle: PasswordThrottle,
): Middleware {
  const router = new Router({ prefix: '/sign-in' })
  router.use(explainErrors, refuseOtherOrigins)

  router.get('/:uid', async (ctx) => {
    await provider.interactionDetails(ctx.req, ctx.res)
    showForm(ctx, {})
  })

  router.post('/:uid', form, async (ctx) => {
    // This check comes first: without a running sign-in, the form must not test passwords.
    await provider.interactionDetails(ctx.req, ctx.res)
    const login = field(ctx, 'login').trim().toLowerCase()
    const attempt = await throttle.begin(ctx.ip, login)
    if (!attempt.allowed) {
      ctx.status = 429
      ctx.set('Retry-After', String(attempt.retryAfter))
      showForm(ctx, { login: field(ctx, 'login'), message: 'Too many attempts: try again later.' })
      return
    }
    const person = await accounts.authenticate(login, field(ctx, 'password'))
    if (!person) {
      ctx.status = 401
      showForm(ctx, { login: field(ctx, 'login'), message: 'Login or password is wrong.' })
      return
    }
    await attempt.succeeded()
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

function showForm(ctx: Context, { login, message }: { login?: string; message?: string }): void {
  showPage(
    ctx,
    'Sign in',
    html`${message && html`<p role="alert">${message}</p>`}
<form method="post">
<label for="login">Login</label>
<input id="login" name="login" value="${login}" autocomplete="username" autocapitalize="none" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div>
<button>Sign in</button>
<button formaction="${ctx.path}/abort" formnovalidate>Cancel</button>
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

/**
 * Fetch Metadata: browsers send the origin of a form. The cookie alone does not protect against
 * another port of this host, and the path protects only because its `uid` is random.
 */
const refuseOtherOrigins: Middleware = async (ctx, next) => {
  const site = ctx.get('Sec-Fetch-Site')
  // Old browsers send nothing. `none` is an action of the person: a reload of the page.
  if (ctx.method === 'POST' && !['', 'none', 'same-origin'].includes(site)) {
    ctx.throw(403, 'a form of another origin')
  }
  await next()
}

const explainErrors: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
    if (!(status >= 400 && status < 500)) throw error
    ctx.status = status
    showPage(
      ctx,
      'That did not work',
      error instanceof errors.SessionNotFound
        ? html`<p role="alert">This sign-in has expired, or was begun in another browser.</p>
<p>Go back to the application and start again.</p>`
        : status === 403
          ? html`<p role="alert">This form does not come from the sign-in page.</p>`
          : html`<p role="alert">The form could not be read.</p>`,
    )
  }
}
