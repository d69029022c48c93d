import { valid } from 'oidc-provider-impersonation/siblings'
import type {
  MailAddress,
  MailTransport,
  Notice,
  NoticeSettings,
  NoticesOptions,
} from './notice.ts'

/** One address: no list, no comment and no line break. */
const ADDRESS = /^[^\s\p{C}<>()[\]:;,"\\@]{1,64}@[^\s\p{C}<>()[\]:;,"\\@]{1,255}$/u
const SENDER = /^(?:(?<name>[^<>"\\\p{C}]{1,100}) <(?<named>[^<>]+)>|(?<bare>[^<>]+))$/u

export const senderRule = valid<string>(
  (value) => typeof value === 'string' && parseAddress(value) !== undefined,
  "one address, such as 'support@example.com' or 'Example Shop <support@example.com>'",
)

function parseAddress(sender: string): MailAddress | undefined {
  const { name = '', named, bare } = SENDER.exec(sender)?.groups ?? {}
  const address = named ?? bare
  return address !== undefined && ADDRESS.test(address) ? { name, address } : undefined
}

/**
 * @param path of the option, for the error
 * @throws TypeError where it is not said how notices are sent, or twice
 */
export function noticeSettings(
  {
    send,
    transport,
    from,
    ...options
  }: Omit<NoticeSettings, 'send'> & Pick<NoticesOptions, 'from' | 'send' | 'transport'>,
  path: string,
): NoticeSettings {
  if ((send === undefined) === (transport === undefined)) {
    throw new TypeError(
      `${path} must have either transport, with from, or send: (notice, { signal }) => sends it to notice.customer`,
    )
  }
  if (send !== undefined) return { ...options, send }
  const sender = parseAddress(from ?? '')
  if (!transport || !sender) {
    throw new TypeError(
      `${path}.transport needs ${path}.from: the sender, such as 'Example Shop <support@example.com>'`,
    )
  }
  return { ...options, send: mailer(transport, sender) }
}

/**
 * Sends notices as mail. A customer without an address gets none.
 *
 * Mails about one ticket refer to the same message, which is never sent: programs show them as one conversation.
 */
function mailer(transport: MailTransport, from: MailAddress): NonNullable<NoticesOptions['send']> {
  const domain = from.address.split('@')[1]
  const idOf = (id: string) => `<${id}@${domain}>`
  return async ({ id, thread, customer, subject, text, html }: Notice) => {
    const { name = '', email: address } = customer
    if (address === undefined) return
    if (!ADDRESS.test(address)) throw new Error('the e-mail address of the customer is none')
    await transport.sendMail({
      from,
      to: { name, address },
      subject,
      text,
      html,
      attachDataUrls: true,
      // The same each time that it is sent: programs show it once.
      messageId: idOf(id),
      references: idOf(thread),
      inReplyTo: idOf(thread),
      // So no vacation notice answers it (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}
