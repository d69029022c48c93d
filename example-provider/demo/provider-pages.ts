import type { Middleware } from 'koa'
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { Html, html, showPage } from '../../hosting/http/page.ts'

/** `renderError` of oidc-provider: the page for an error without a redirect. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  showPage(
    ctx,
    'That did not work',
    html`<p role="alert">${out.error_description ?? 'Something went wrong.'}</p>
<p>Go back to the application and start again. Its operators may want to know: <code>${out.error}</code></p>`,
  )
}

/** The sign-out pages of oidc-provider, around its own form, which has no value from outside. */
export const logoutPages = {
  logoutSource: (ctx: KoaContextWithOIDC, logoutForm: string): void =>
    showPage(
      ctx,
      'Sign out?',
      html`${new Html(logoutForm)}
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>`,
    ),
  postLogoutSuccessSource: (ctx: KoaContextWithOIDC): void =>
    showPage(ctx, 'Signed out', html`<p>You can close this page.</p>`),
}

/** Shows the errors of the sign-in page. */
export const explainErrors: Middleware = async (ctx, next) => {
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
