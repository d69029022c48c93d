import type { Middleware } from 'koa'
import type { Notice } from 'oidc-provider-impersonation-console'
import { html, showPage } from './page.ts'

const MAX_KEPT = 50

/** Keeps what would be sent, and shows it: `/mail`, the newest first. */
export function mailPage() {
  let kept: readonly Notice[] = []
  const page: Middleware = (ctx, next) => {
    if (ctx.path !== '/mail' || ctx.method !== 'GET') return next()
    return showPage(
      ctx,
      'Mail',
      html`<p>What customers would be sent. With SMTP_URL, it is sent, and not shown here.</p>
${kept.map(
  ({ subject, customer, text }) => html`<article>
<h2>${subject}</h2>
<p>To ${customer.name} &lt;${customer.email}&gt;</p>
<pre>${text}</pre>
</article>`,
)}`,
    )
  }
  return {
    page,
    keep(notice: Notice): void {
      kept = [notice, ...kept.filter(({ id }) => id !== notice.id)].slice(0, MAX_KEPT)
    },
  }
}
