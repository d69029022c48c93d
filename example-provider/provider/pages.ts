import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { Html, html, showPage } from '../http/page.ts'

/** `renderError` of oidc-provider: the page for an error without a redirect. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  showPage(
    ctx,
    'That did not work',
    html`<p role="alert">${out.error_description ?? 'Something went wrong.'}</p>
<p>Go back to the application and start again. Its operators may want to know: <code>${out.error}</code></p>`,
  )
}

/** The sign-out pages of oidc-provider. */
export const logoutPages = {
  logoutSource(ctx: KoaContextWithOIDC, form: string): void {
    showPage(
      ctx,
      'Sign out?',
      // The form of oidc-provider. It contains no value from outside.
      html`${new Html(form)}
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>`,
    )
  },

  postLogoutSuccessSource(ctx: KoaContextWithOIDC): void {
    showPage(ctx, 'Signed out', html`<p>You can close this page.</p>`)
  },
}
