import { expect } from 'chai'
import type {
  Brand,
  Notice,
  NoticesOptions,
  SupportConsoleOptions,
} from 'oidc-provider-impersonation-console'
import { snippetsOf } from '../../../../../test/docs/documents.ts'
import { later } from '../../support/clock.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { FRENCH } from '../../support/french.ts'
import { startSmtp } from './smtp.ts'
import { until } from './until.ts'

/** A deployment that tells customers. */
async function telling(
  options: Partial<NoticesOptions> = {},
  console: Partial<SupportConsoleOptions> = {},
): Promise<Deployment & { readonly sent: Notice[] }> {
  const sent: Notice[] = []
  const send = (notice: Notice) => sent.push(notice)
  const notices = { send, digest: 0, ...options }
  return Object.assign(await deploy({ console: { notices, ...console } }), { sent })
}

const PATTERN = { ticket: { pattern: /SUP-\d+/, example: 'SUP-1' } }
/** More than what is stored of the end takes. */
const SETTLED_MS = 11_000

describe('notices to customers', () => {
  it('tell the start and the end, with what was done, and link to the page of the account', async () => {
    await using deployment = await telling({}, PATTERN)
    const { sent, url } = deployment
    const running = await deployment.impersonate({
      ticket: 'SUP-7',
      reason: 'The address is wrong',
    })
    await running.look()
    await running.change()
    await running.refused()
    await until(() => sent.length === 1)
    expect(sent[0]).to.deep.include({
      kind: 'started',
      customer: { id: 'alice', name: 'Alice Ng', email: 'alice@example.com', language: 'en' },
      by: 'Olivia Okafor',
      application: 'Shop',
      ticket: 'SUP-7',
      impersonations: [running.id],
      url: `${url}/account`,
      subject: 'The support team acts as you',
    })
    await running.end()
    await later(SETTLED_MS, () => until(() => sent.length === 2))
    const { text = '', html = '', ...ended } = sent[1] ?? {}
    expect(ended).to.include({ kind: 'ended', subject: 'The support team acted as you' })
    expect(sent[1]?.id)
      .to.match(/^[\w-]{43}$/)
      .and.not.equal(sent[0]?.id)
    for (const each of ['Olivia Okafor acted as you.', 'Ticket: SUP-7', `${url}/account`, 'UTC']) {
      expect(text).to.contain(each)
    }
    expect(text).to.contain('- Looked at data once')
    expect(text).to.contain('- Changed data once')
    expect(text).to.contain('- 1 refused attempt')
    for (const message of [text, html]) expect(message).to.not.contain('address is wrong')
    expect(html.match(/(?:https?:|href=)[^<"]*/g)).to.have.length(3)
    expect(html.match(/https?:[^<"]*/g)).to.deep.equal([`${url}/account`, `${url}/account`])
  })

  it('are in the language of the account, name the team where it is wanted, and say what the application says', async () => {
    await using deployment = await telling(
      { by: 'Team Nord', when: ['ended'], timeZone: 'Europe/Berlin' },
      {
        language: 'de',
        account: {
          clientId: 'customer-account',
          describe: (_use, language) => (language === 'de' ? 'Bestellungen angesehen' : undefined),
        },
      },
    )
    const running = await deployment.impersonate()
    await running.look()
    await running.look()
    await running.end()
    await later(SETTLED_MS, () => until(() => deployment.sent.length === 1))
    const [notice] = deployment.sent
    expect(notice?.customer.language).to.equal('de')
    expect(notice?.by).to.equal('Team Nord')
    expect(notice?.text).to.contain('Team Nord handelte in Ihrem Namen.')
    expect(notice?.text).to.contain('- Bestellungen angesehen (2-mal)')
    expect(notice?.text).to.match(/MEZ|MESZ/)
    expect(notice?.html).to.contain('lang="de"')
    // Without a pattern, a ticket is what an operator typed.
    expect(notice?.ticket).to.equal(undefined)
    expect(notice?.text).to.not.contain('SUP-123')
  })

  it('are in a language that the deployment added, with English where it has no sentence', async () => {
    await using deployment = await telling({}, { words: { fr: FRENCH } })
    await deployment.impersonate({ customer: 'carla' })
    await until(() => deployment.sent.length === 1)
    const [notice] = deployment.sent
    expect(notice?.customer.language).to.equal('fr')
    expect(notice?.subject).to.equal('Le support agit en votre nom')
    expect(notice?.text).to.contain('Bonjour Carla Nunes,\n\nOlivia Okafor agit en votre nom.')
    expect(notice?.text).to.contain('This message has no other link.')
    expect(notice?.html).to.contain('lang="fr"')
  })

  it('are sent as docs/notices.md does it', async () => {
    await using snippets = await snippetsOf('notices.md')
    const module = await snippets.load('# Notices to customers')
    const { noticesBy, brand } = module as {
      noticesBy: (url: string) => NoticesOptions
      brand: Brand
    }
    await using smtp = await startSmtp()
    const notices = { ...noticesBy(smtp.url), digest: 0 }
    await using deployment = await deploy({ console: { notices, brand } })
    await deployment.impersonate()
    await until(() => smtp.received.length === 1)
    expect(smtp.received[0]).to.match(/^To: Alice Ng <alice@example\.com>\r$/m)
    expect(smtp.received[0]).to.match(/^Subject: Example Shop: The support team acts as you\r$/m)
    const other = await snippets.load('# Notices to customers', 1)
    const { noticesIn } = other as { noticesIn: (post: unknown) => NoticesOptions }
    const posted: Notice[] = []
    await using another = await telling(noticesIn(async (notice: Notice) => posted.push(notice)))
    await another.impersonate()
    await until(() => posted.length === 1)
    expect(posted[0]?.thread).to.match(/^[\w-]{43}$/)
  })

  it('hold up no answer and no end of the process, also where they hang', async () => {
    const deployment = await telling({ send: () => new Promise(() => {}) })
    const running = await deployment.impersonate()
    expect(await running.change()).to.be.below(300)
    await running.end()
    await deployment[Symbol.asyncDispose]()
  })
})
