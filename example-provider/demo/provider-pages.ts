import type { Middleware } from 'koa'
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { Html, html, showPage, showSubmitting } from './page.ts'

/** `renderError` of oidc-provider: the page for an error without a redirect. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  showPage(
    ctx,
    'That did not work',
    html`<p role="alert">${out.error_description ?? 'Something went wrong.'}</p>
<p>Go back to the application and start again. Its operators may want to know: <code>${out.error}</code></p>`,
  )
}

/**
 * Whether the request has an ID token of this very sign-in. Only the application has it, in which
 * the person has pressed *Sign out*, so the person is not asked once more. Another page can send the
 * browser here, too, but has no such token. oidc-provider has checked its signature.
 */
function isOfThisSession({ oidc: { entities, session } }: KoaContextWithOIDC): boolean {
  const { Client: client, IdTokenHint: hint } = entities
  if (!client || !hint || !session?.accountId) return false
  const { sub, auth_time: signedInAt } = hint.payload
  return (
    sub === session.accountId &&
    signedInAt === session.authTime() &&
    Object.hasOwn(session.authorizations ?? {}, client.clientId)
  )
}

/** The sign-out pages of oidc-provider, around its own form, which has no value from outside. */
export const logoutPages = {
  logoutSource(ctx: KoaContextWithOIDC, logoutForm: string): void {
    const form = new Html(logoutForm)
    if (isOfThisSession(ctx)) {
      const yes = html`<input type="hidden" form="op.logoutForm" name="logout" value="yes">`
      const button = html`<noscript><button form="op.logoutForm">Sign out</button></noscript>`
      showSubmitting(ctx, 'Signing out', html`${form}${yes}${button}`)
      return
    }
    showPage(
      ctx,
      'Sign out?',
      html`${form}
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>`,
    )
  },
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
