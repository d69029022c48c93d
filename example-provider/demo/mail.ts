// What customers are told: mail by SMTP_URL, or what the page /mail shows.
import type { Middleware } from 'koa'
import { createTransport } from 'nodemailer'
import type { Notice, NoticesOptions } from 'oidc-provider-impersonation-console'
import type { Config } from '../config.ts'
import { html, showPage } from './page.ts'

export interface Mail {
  /** Of the support console. Without them, customers find it on the account page alone. */
  readonly notices: NoticesOptions | undefined
  readonly pages: readonly Middleware[]
}

export function createMail({ smtpUrl, production }: Config): Mail {
  if (smtpUrl === undefined) {
    if (production) return { notices: undefined, pages: [] }
    const { keep, page } = mailPage()
    return { notices: { send: keep, digest: 0 }, pages: [page] }
  }
  const transport = createTransport(smtpUrl)
  const send: NoticesOptions['send'] = async ({ id, customer, subject, text, html }) => {
    if (customer.email === undefined) return
    await transport.sendMail({
      ...{ from: 'support@example.com', subject, text, html },
      // As an object: a name can look like a list of addresses.
      to: { name: customer.name ?? '', address: customer.email },
      // The same each time that it is sent: a notice can come twice.
      messageId: `<${id}@example.com>`,
    })
  }
  return { notices: { send, digest: 0 }, pages: [] }
}

const MAX_KEPT = 50

/** Keeps what would be sent, and shows it: `/mail`, the newest first. */
function mailPage() {
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
