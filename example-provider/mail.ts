// What customers are told: mail by SMTP_URL, or, in the demo, what the page /mail shows.
import type { Middleware } from 'koa'
import { createTransport } from 'nodemailer'
import type { NoticesOptions } from 'oidc-provider-impersonation-console'
import type { Config } from './config.ts'
import { mailPage } from './demo/mail-page.ts'

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
