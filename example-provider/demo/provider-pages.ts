import type { Middleware } from 'koa'
import { type ErrorOut, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { Html, html } from './html.ts'
import { showPage, showSubmitting } from './page.ts'
import { wordsFor } from './words/words.ts'

/** `renderError` of oidc-provider: the page for an error without a redirect. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  const { error: words } = wordsFor(ctx)
  showPage(
    ctx,
    words.title,
    html`<p role="alert">${out.error_description ?? words.unknown}</p>
<p>${words.again} ${words.code} <code>${out.error}</code></p>`,
  )
}

/**
 * Returns whether the request has an ID token of this very sign-in. Only the application in which the
 * person pressed *Sign out* has it, so the person is not asked once more. Another page can send the
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
    const { signOut: words } = wordsFor(ctx)
    const form = new Html(logoutForm)
    if (isOfThisSession(ctx)) {
      const yes = html`<input type="hidden" form="op.logoutForm" name="logout" value="yes">`
      const button = html`<noscript><button form="op.logoutForm">${words.submit}</button></noscript>`
      showSubmitting(ctx, words.underWay, html`${form}${yes}${button}`)
      return
    }
    showPage(
      ctx,
      words.title,
      html`${form}
<button form="op.logoutForm" name="logout" value="yes">${words.submit}</button>
<button form="op.logoutForm">${words.stay}</button>`,
    )
  },
  postLogoutSuccessSource(ctx: KoaContextWithOIDC): void {
    const { signOut, close } = wordsFor(ctx)
    showPage(ctx, signOut.done, html`<p>${close}</p>`)
  },
}

/** Shows the errors of the sign-in page. */
export const explainErrors: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
    if (!(status >= 400 && status < 500)) throw error
    ctx.status = status
    const { error: words, signIn } = wordsFor(ctx)
    showPage(
      ctx,
      words.title,
      error instanceof errors.SessionNotFound
        ? html`<p role="alert">${signIn.expired}</p>
<p>${words.again}</p>`
        : html`<p role="alert">${status === 403 ? signIn.foreign : signIn.unreadable}</p>`,
    )
  }
}
