import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { cellsOf, goTo, rowsOf } from './support/story-steps.ts'
import { type Visit, visit } from './support/visit.ts'

const STEPS = [
  '1. Ask the support backend',
  '2. Exchange the subject token',
  '3. Ask the Orders API',
] as const

describe('who looks inside', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  async function lookInside(olivia: Visit): Promise<void> {
    await act(olivia.page, { ticket: 'SUP-6', reason: "It's lost; $HOME isn't" })
    await goTo(olivia.page, 'Look inside')
    await olivia.page.getByRole('heading', { name: 'Look inside' }).waitFor()
  }

  it('sees what the token says, and what that means', async () => {
    await using olivia = await visit(example.url)
    await lookInside(olivia)
    const rows = await cellsOf(rowsOf(olivia.page, 'Claims of the access token'))
    const claims = new Map(
      rows.map(([claim, value = '', meaning = '']) => [claim, { value, meaning }]),
    )
    const said = (claim: string) => claims.get(claim)?.value ?? ''

    expect(said('sub')).to.equal('alice')
    expect(JSON.parse(said('act'))).to.include({ sub: 'olivia' })
    expect(said('aud')).to.equal(`${example.url}/orders`)
    expect(said('scope')).to.equal('orders:read')
    expect(said('exp')).to.match(/^\d{10}, \d{1,2} \w{3,4} \d{4}, \d\d:\d\d:\d\d$/)
    expect(Number.parseInt(said('exp'), 10) - Number.parseInt(said('iat'), 10)).to.equal(600)
    expect(JSON.parse(said('impersonation_context'))).to.deep.include({
      ticket_id: 'SUP-6',
      reason: "It's lost; $HOME isn't",
    })
    for (const [claim, { meaning }] of claims) {
      expect(meaning, claim)
        .to.match(/\w.*\.$/)
        .and.not.to.match(/of this deployment/)
    }
    expect(claims.get('act')?.meaning).to.include('the operator').and.to.include('RFC 8693')
    expect(claims.get('sub')?.meaning).to.include('the customer')
    await olivia.tokens.expectNowhere(example.log())
  })

  it('copies a command as it is shown, and sees no token until they ask for it', async () => {
    await using olivia = await visit(example.url)
    await olivia.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await lookInside(olivia)
    const { page, tokens } = olivia
    await page.getByRole('button', { name: `Copy the command: ${STEPS[1]}` }).click()
    await page.getByText('Copied.', { exact: true }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).to.equal(await commandOf(page, 1))
    expect(copied).to.include('"$SUBJECT_TOKEN"').and.to.include('"$OPERATOR_TOKEN"')

    const reveal = page.getByRole('switch', { name: 'Show the tokens themselves' })
    const warning = page.getByText("A person with the operator's token can act as any customer")
    expect(await reveal.isChecked()).to.equal(false)
    expect(await warning.isVisible()).to.equal(false)
    await tokens.expectNowhere(example.log())
    const { OPERATOR_TOKEN, SUBJECT_TOKEN, ACCESS_TOKEN } = await variables(olivia)

    tokens.reveal()
    await reveal.check()
    await warning.waitFor()
    expect(await commandOf(page, 0)).to.include(`Bearer ${OPERATOR_TOKEN}'`)
    expect(await commandOf(page, 1)).to.include(`'subject_token=${SUBJECT_TOKEN}'`)
    expect(await commandOf(page, 1)).to.include(`'actor_token=${OPERATOR_TOKEN}'`)
    // The token of the page would be refused in a shell.
    expect(await commandOf(page, 2))
      .to.include('"$ACCESS_TOKEN"')
      .and.not.include(ACCESS_TOKEN)
    expect(JSON.parse(await answerOf(page, 1))).to.include({ access_token: ACCESS_TOKEN })
    await tokens.expectNowhere(example.log())

    await reveal.uncheck()
    tokens.conceal()
    await tokens.expectNowhere(example.log())
    expect(await warning.isVisible()).to.equal(false)

    tokens.reveal()
    await reveal.check()
    await goTo(page, 'Orders')
    tokens.conceal()
    await tokens.expectNowhere(example.log())
    await goTo(page, 'Look inside')
    await page.getByRole('heading', { name: STEPS[2] }).waitFor()
    expect(await reveal.isChecked()).to.equal(false)
    await tokens.expectNowhere(example.log())
  })

  it('can repeat in a shell what the console has done, but not use its token: it is bound to a key', async () => {
    await using olivia = await visit(example.url)
    const sent: Record<string, string>[] = []
    olivia.page.on('request', (request) => {
      if (request.url().endsWith('/orders')) sent.push(request.headers())
    })
    await lookInside(olivia)
    const { page } = olivia
    const shell = await variables(olivia)
    const [ask, exchange, orders] = [
      await commandOf(page, 0),
      await commandOf(page, 1),
      await commandOf(page, 2),
    ]

    await goTo(page, 'Orders')
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.locator('#orders article').first().waitFor()

    expect(sent).to.have.length.above(1)
    for (const { authorization } of sent) expect(authorization).to.match(/^DPoP ey/)
    expect(new Set(sent.map(({ dpop }) => dpop))).to.have.property('size', sent.length)
    const stolen = await bash(orders, shell)
    expect([stolen.status, stolen.body.error]).to.deep.equal([401, 'invalid_token'])

    const asked = await bash(ask, shell)
    expect(asked.status).to.equal(201)
    expect(asked.body.subjectToken).to.be.a('string').and.not.to.equal(shell.SUBJECT_TOKEN)

    const again = await bash(exchange, shell)
    expect([again.status, again.body.error]).to.deep.equal([400, 'invalid_request'])
    await goTo(page, 'Audit')
    const replayed = rowsOf(page, 'Entries of the audit').filter({ hasText: 'Replayed' })
    await replayed.filter({ hasText: 'SUP-6' }).waitFor()
    // What was asked for anew is good for one exchange.
    const anew = { ...shell, SUBJECT_TOKEN: String(asked.body.subjectToken) }
    const { body: answer } = await bash(exchange, anew)
    expect(answer.token_type).to.equal('Bearer')
    const own = { ...shell, ACCESS_TOKEN: String(answer.access_token) }
    const seen = await bash(orders, own)
    expect([seen.status, seen.body.subject, seen.body.actor]).to.deep.equal([
      200,
      'alice',
      'olivia',
    ])

    await olivia.tokens.expectNowhere(example.log())
  })
})

function commandOf(page: Page, step: 0 | 1 | 2): Promise<string> {
  return textIn(page, `${STEPS[step]}: the command`)
}

async function answerOf(page: Page, step: 0 | 1 | 2): Promise<string> {
  await page.locator('article', { hasText: STEPS[step] }).getByText('The answer').click()
  return textIn(page, `${STEPS[step]}: the answer`)
}

async function textIn(page: Page, region: string): Promise<string> {
  return (await page.getByRole('region', { name: region, exact: true }).textContent()) ?? ''
}

/** What the page leaves to shell variables, from what has passed by. */
async function variables({ tokens }: Visit) {
  const seen = await tokens.seen()
  const [OPERATOR_TOKEN = '', ACCESS_TOKEN = ''] = seen
    .filter(({ name }) => name === 'access_token')
    .map(({ value }) => value)
  // It is named by what was read first: the backend's answer or the exchange.
  const SUBJECT_TOKEN = seen.find(({ name }) => /^subject_?token$/i.test(name))?.value ?? ''
  for (const value of [OPERATOR_TOKEN, ACCESS_TOKEN, SUBJECT_TOKEN]) expect(value).not.to.equal('')
  return { OPERATOR_TOKEN, ACCESS_TOKEN, SUBJECT_TOKEN }
}

/** Pastes a command into a shell that has these variables, and nothing else. */
async function bash(command: string, values: Record<string, string>) {
  const { stdout } = await promisify(execFile)(
    'bash',
    ['--norc', '-euc', `${command} -w '\\n%{http_code}'`],
    { env: { PATH: process.env.PATH ?? '', ...values } },
  )
  const at = stdout.lastIndexOf('\n')
  const body: Record<string, unknown> = JSON.parse(stdout.slice(0, at))
  return { status: Number(stdout.slice(at)), body }
}
