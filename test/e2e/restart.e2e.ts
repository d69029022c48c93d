import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { launch, type Running, temporaryFolder } from '../example-provider/support.ts'
import { act, enterConsole } from './support/acting.ts'
import { signIn } from './support/sign-in.ts'
import { accountOf, auditOf, endActing, goTo, LONG } from './support/story-steps.ts'
import { visit } from './support/visit.ts'

describe('after a restart', () => {
  it('nothing is lost of what happened before it was killed', async () => {
    await using folder = await temporaryFolder()
    const storage = { DATA_DIR: folder.path, STORAGE_URL: `sqlite:${folder.path}/data.sqlite` }
    await using before = await launch(storage)
    const seen = await actAndEnd(before)
    before.child.kill('SIGKILL')
    const { stdout, stderr } = await before.ended

    await using again = await launch({ ...storage, PORT: new URL(before.url).port })
    expect(again.url).to.equal(before.url)
    await using olivia = await visit(again.url)
    await enterConsole(olivia.page)
    await goTo(olivia.page, 'Audit')
    expect(await auditOf(olivia.page, 3)).to.deep.equal(seen.audit)

    await using alice = await visit(again.url)
    expect(await accountOfAlice(alice.page)).to.deep.equal(seen.account)

    const log = `${stdout}${stderr}${again.printed()}`
    await olivia.tokens.expectNowhere(log)
    await alice.tokens.expectNowhere(log)
    // Two servers, and four people who sign in.
  }).timeout(LONG)
})

/** What there is to remember: the audit, and what alice sees. */
async function actAndEnd({ url, printed }: Running) {
  await using olivia = await visit(url)
  const { page } = olivia
  await act(page, { ticket: 'SUP-14', reason: 'Wrong colour', minutes: 5 })
  await endActing(page)
  await goTo(page, 'Audit')
  const audit = await auditOf(page, 3)
  expect(audit.map(([what]) => what)).to.deep.equal(['Ended', 'Started', 'Asked for'])

  await using alice = await visit(url)
  const account = await accountOfAlice(alice.page)
  expect(account).to.have.lengthOf(1)
  await olivia.tokens.expectNowhere(printed())
  return { audit, account }
}

async function accountOfAlice(page: Page): Promise<string[][]> {
  await page.goto('/account')
  await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'alice')
  await page.getByRole('cell', { name: 'SUP-14' }).waitFor()
  return accountOf(page)
}
