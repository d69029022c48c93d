import { expect } from 'chai'
import { createTransport } from 'nodemailer'
import type { SupportConsoleOptions } from 'oidc-provider-impersonation-console'
import { later } from '../../support/clock.ts'
import { deploy } from '../../support/deployment.ts'
import { directory } from '../../support/people.ts'
import { type Smtp, startSmtp } from './smtp.ts'
import { until } from './until.ts'

/** One green pixel. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const TICKET = { pattern: /SUP-\d+/, example: 'SUP-1' }

/** A deployment that tells customers by SMTP. */
async function mailing(smtp: Smtp, console: Partial<SupportConsoleOptions> = {}) {
  const notices = {
    transport: createTransport(smtp.url),
    from: 'Nordlicht, Shop <support@nordlicht.example>',
    digest: 0,
  }
  return deploy({ console: { notices, ticket: TICKET, ...console } })
}

/** A mail as programs read it: its headers, and the texts of its parts. */
function parse(mail: string) {
  const [head = '', ...rest] = mail.split('\r\n\r\n')
  const headers = new Map(
    head
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^.*?: ?/, '')]),
  )
  return { headers, body: quotedPrintable(rest.join('\r\n\r\n')) }
}

function quotedPrintable(text: string) {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

describe('notices by mail', () => {
  it('are one conversation about a ticket, in text and HTML, with the name of the firm', async () => {
    await using smtp = await startSmtp()
    const brand = { name: 'Nordlicht', color: '#0a6640', logo: PNG }
    await using deployment = await mailing(smtp, { brand })
    const first = await deployment.impersonate({ ticket: 'SUP-7' })
    await first.look()
    await until(() => smtp.received.length === 1)
    // The page is loaded again: the operator continues.
    await first.end()
    const second = await deployment.impersonate({ ticket: 'SUP-7' })
    await second.look()
    await second.change()
    await second.end()
    await later(11_000, () => until(() => smtp.received.length === 2))
    const [started, ended] = smtp.received.map(parse)
    for (const mail of [started, ended]) {
      const { headers, body } = mail ?? { headers: new Map(), body: '' }
      expect(headers.get('from')).to.match(/^"?Nordlicht, Shop"? <support@nordlicht.example>$/)
      expect(headers.get('to')).to.equal('Alice Ng <alice@example.com>')
      expect(headers.get('auto-submitted')).to.equal('auto-generated')
      expect(headers.get('message-id')).to.match(/^<[\w-]{43}@nordlicht\.example>$/)
      expect(headers.get('in-reply-to')).to.equal(headers.get('references'))
      expect(body).to.contain('Content-Type: text/plain').and.contain('Content-Type: text/html')
      expect(body).to.contain('Content-Type: image/png').and.contain('src="cid:')
      expect(body.match(/<a href="[^"]*"/g)).to.deep.equal([`<a href="${deployment.url}/account"`])
    }
    expect(started?.headers.get('references')).to.equal(ended?.headers.get('references'))
    expect(started?.headers.get('message-id')).to.not.equal(ended?.headers.get('message-id'))
    expect(started?.headers.get('subject')).to.equal('Nordlicht: The support team acts as you')
    expect(ended?.headers.get('subject')).to.equal('Nordlicht: The support team acted as you')
    expect(ended?.body).to.contain('How often: 2 times')
    expect(ended?.body).to.contain('- Looked at data 2 times')
    expect(ended?.body).to.contain('- Changed data once')
    await later(3_600_000, () => deployment.settled())
    expect(smtp.received, 'two mails for two starts and two ends').to.have.length(2)
  })

  it('get no header, no other receiver and no markup by what people are called', async () => {
    await using smtp = await startSmtp()
    const names: Record<string, string> = {
      alice: 'a@evil.example, Eve <eve@evil.example>\r\nBcc: all@evil.example',
      bob: '"><img src=https://evil.example/x>',
    }
    const customers: SupportConsoleOptions['customers'] = {
      ...directory,
      get: (id) => {
        const found = directory.get(id)
        return found && { ...found, name: names[id] ?? found.name }
      },
    }
    await using deployment = await mailing(smtp, {
      customers,
      brand: { name: '<b>Nordlicht</b> & Söhne' },
    })
    for (const customer of ['alice', 'bob']) await deployment.impersonate({ customer })
    await until(() => smtp.received.length === 2)
    for (const mail of smtp.received.map(parse)) {
      expect([...mail.headers.keys()]).to.not.include('bcc')
      expect(mail.headers.get('to')?.match(/<[^>]*>$/)?.[0]).to.match(
        /^<(?:alice|bob)@example\.com>$/,
      )
      expect(mail.headers.get('subject')).to.match(/^=\?UTF-8\?/)
      expect(mail.body.slice(mail.body.indexOf('<!doctype'))).to.not.match(/<img|<b>/)
      expect(mail.body.match(/<a /g)).to.have.length(1)
      expect(mail.body).to.not.contain('evil.example/')
      expect(mail.body).to.contain('&#60;b&#62;Nordlicht&#60;/b&#62; &#38; Söhne')
    }
  })

  it('go to no address that is a list, and to nobody who has none', async () => {
    await using smtp = await startSmtp()
    const emails: Record<string, string | undefined> = {
      alice: 'alice@example.com, eve@evil.example',
      bob: undefined,
    }
    const customers: SupportConsoleOptions['customers'] = {
      ...directory,
      get: (id) => {
        const { email, ...found } = directory.get(id) ?? { id, name: id }
        const given = id in emails ? emails[id] : email
        return given === undefined ? found : { ...found, email: given }
      },
    }
    await using deployment = await mailing(smtp, { customers })
    const running = await Promise.all(
      ['alice', 'bob', 'carla'].map((customer) => deployment.impersonate({ customer })),
    )
    const lastOf = async (index: number) =>
      (await deployment.audit.row(running[index]?.id ?? ''))?.deliveries?.customer?.last?.is
    await until(async () => (await lastOf(0)) === 'failed')
    await until(async () => (await lastOf(1)) === 'told')
    await until(async () => (await lastOf(2)) === 'told')
    expect(smtp.received.map((mail) => parse(mail).headers.get('to'))).to.deep.equal([
      'Carla Nunes <carla@example.com>',
    ])
    expect(deployment.log.join('\n')).to.contain('the e-mail address of the customer is none')
  })
})
