import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { type Deployment, deploy, type Running } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { visitDeployment } from '../support/operating.ts'

const COMMAND = join(import.meta.dirname, '../../../../verify/src/command.ts')

describe('the proof of an impersonation', () => {
  let deployment: Deployment
  let folder: string
  let running: Running

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audit-proof-'))
    deployment = await deploy()
    const other = await deployment.impersonate({ reason: 'Not to be given away' })
    await other.end()
    running = await deployment.impersonate({ operator: 'olivia', customer: 'bob' })
    await running.end()
    await deployment.settled()
  })
  after(async () => {
    await deployment[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('is a file and a command on its page, and the command proves the file', async () => {
    const { id } = running
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
    await enter(page, 'ada', `/console/audit/${id}`)
    await page.getByRole('button', { name: 'Prove this' }).click()
    const dialog = page.getByRole('dialog', { name: 'Prove this' })
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save the file' }).click()
    const file = await download
    await dialog.getByText(/jsonl.* is saved/).waitFor()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy the command' }).click()
    await dialog.getByText('The command is copied.').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const [npx, name, ...args] = command.split(' ')
    expect([npx, name]).to.deep.equal(['npx', 'oidc-provider-impersonation-verify'])

    await copyFile(await file.path(), join(folder, file.suggestedFilename()))
    const child = spawn(
      process.execPath,
      ['--conditions=oidc-provider-impersonation', COMMAND, ...args],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const [out, err] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ])
    expect(err).to.equal('')
    expect(child.exitCode).to.equal(0)
    expect(out).to.contain('Olivia Okafor (olivia) asked to act as Bob')
    expect(out).to.contain('3 entries, unbroken')
    expect(out).not.to.contain('Not to be given away')
  })

  it('is no button for operators, also where they see the page', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', `/console/audit/${running.id}`)
    await page.getByRole('button', { name: 'Details' }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Prove this' }).count()).to.equal(0)
  })
})
