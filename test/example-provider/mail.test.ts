import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { SMTPServer } from 'smtp-server'
import { readConfig } from '../../example-provider/config.ts'
import { StartError } from '../../example-provider/start-error.ts'
import { act } from './acting.ts'
import { signIn, start } from './support.ts'

async function until<T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await find()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('example provider: what customers are told', function () {
  this.timeout(30_000)

  it('is on the page of the demo, where there is no server for mail', async () => {
    const example = await start()
    const mail = async () => (await fetch(`${example.url}/mail`)).text()
    expect(await mail()).to.contain('With SMTP_URL')
    await act(example.url, await signIn(example.url))
    const page = await until(async () => {
      const shown = await mail()
      return shown.includes('The support team acts as you') ? shown : undefined
    })
    expect(page).to.contain('Olivia').and.contain('/account')
    expect(page).to.not.contain('Order lost')
    await example.close()
  })

  it('is sent to the server for mail, with text and HTML, to the address of the customer', async () => {
    const mails: string[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        text(stream).then((mail) => {
          mails.push(mail)
          done()
        }, done)
      },
    })
    server.listen(0, '127.0.0.1')
    const port = await until(() => (server.server.address() as AddressInfo | null)?.port)
    const example = await start({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    await act(example.url, await signIn(example.url))
    const mail = await until(() => mails[0])
    expect(mail).to.match(/^To: .*<alice@example\.com>/im)
    expect(mail).to.match(/^Subject: The support team acts as you/im)
    expect(mail).to.match(/^Message-ID: <[\w-]{43}@example\.com>/im)
    expect(mail).to.contain('text/html')
    expect((await fetch(`${example.url}/mail`)).status).to.equal(404)
    await example.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  it('needs a URL of SMTP', () => {
    expect(() => readConfig({ SMTP_URL: 'https://mail.example.com' })).to.throw(
      StartError,
      'SMTP_URL must be smtp://',
    )
  })
})
