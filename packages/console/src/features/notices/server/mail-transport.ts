/** What is used of nodemailer's `Transporter`. */
export interface MailTransport {
  sendMail(mail: Mail): Promise<unknown>
}

/** As an object: a name can look like a list of addresses. */
export interface MailAddress {
  readonly name: string
  readonly address: string
}

/** A mail, as nodemailer has it. */
export interface Mail {
  readonly from: MailAddress
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  /** A logo in a `data:` URL becomes a part of the mail: many programs show no such URL. */
  readonly attachDataUrls: true
  readonly messageId: string
  readonly references: string
  readonly inReplyTo: string
  readonly headers: Readonly<Record<string, string>>
}
