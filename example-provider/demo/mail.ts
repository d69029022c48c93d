// Notices to customers: mail by SMTP_URL, or the page /mail.
import type { Middleware } from 'koa'
import { createTransport } from 'nodemailer'
import type { Brand, Notice, NoticesOptions } from 'oidc-provider-impersonation-console'
import type { Config } from '../config.ts'
import { html } from './html.ts'
import { showPage } from './page.ts'
import { wordsFor } from './words/words.ts'

/** The firm, on the pages of the console, in the account and in mails. */
export const BRAND: Brand = { name: 'Corner Coffee', color: '#7b4a2b' }
const SENDER = `${BRAND.name} <support@example.com>`

export interface Mail {
  /** Notices of the support console. Without them, customers find it only on the account page. */
  readonly notices: NoticesOptions | undefined
  readonly pages: readonly Middleware[]
}

export function createMail({ smtpUrl, production }: Config): Mail {
  if (smtpUrl === undefined) {
    if (production) return { notices: undefined, pages: [] }
    const { keep, page } = mailPage()
    return { notices: { send: keep, digest: 0 }, pages: [page] }
  }
  const notices = { transport: createTransport(smtpUrl), from: SENDER, digest: 0 }
  return { notices, pages: [] }
}

const MAX_KEPT = 50

/** Keeps what would be sent, and shows it: `/mail`, the newest first. */
function mailPage() {
  let kept: readonly Notice[] = []
  const page: Middleware = (ctx, next) => {
    if (ctx.path !== '/mail' || ctx.method !== 'GET') return next()
    const { mail: words } = wordsFor(ctx)
    return showPage(
      ctx,
      words.title,
      html`<p>${words.about}</p>
${kept.length === 0 ? html`<p>${words.none}</p>` : ''}
${kept.map(
  ({ subject, customer, text }) => html`<article>
<h2>${subject}</h2>
<p>${words.to} ${customer.name} &lt;${customer.email}&gt;</p>
<pre>${text}</pre>
</article>`,
)}`,
    )
  }
  return {
    page,
    keep(notice: Notice): void {
      kept = [notice, ...kept].slice(0, MAX_KEPT)
    },
  }
}
