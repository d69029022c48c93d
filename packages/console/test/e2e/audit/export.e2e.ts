import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { waitForAll } from '../support/audit-page.ts'
import { type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { visitDeployment } from '../support/operating.ts'
import type { Visit } from '../support/visit.ts'

const COUNT = 450

/** The store of a deployment whose pages after the first can be held up, or fail. */
function hinderedAudit() {
  const store = memoryAudit()
  const hindrance: { next: () => Promise<void> } = { next: async () => {} }
  const find: AuditStore['find'] = async (filter, page) => {
    if (page.before !== undefined && page.limit === 200) await hindrance.next()
    return store.find(filter, page)
  }
  const audit = new Proxy(store, {
    get: (target, name) => {
      if (name === 'find') return find
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { audit, hindrance }
}

describe('exports of the audit', () => {
  const { audit, hindrance } = hinderedAudit()
  let deployment: Deployment
  let visit: Visit
  let page: Page

  before(async () => {
    deployment = await deploy({ audit })
    const past: Past[] = Array.from({ length: COUNT }, (_, index) => ({
      at: Date.now() - (COUNT - index) * 3_600_000,
      ticket: `T-${index}`,
      customer: index % 9 === 0 ? 'bob' : 'alice',
      reads: ['/orders'],
    }))
    await storePast(audit, past)
  })
  after(() => deployment[Symbol.asyncDispose]())

  beforeEach(async () => {
    hindrance.next = async () => {}
    visit = await visitDeployment(deployment)
    page = visit.page
  })
  afterEach(() => visit[Symbol.asyncDispose]())

  /** Browsers without a picker keep the file until it is whole, and save it as a download. */
  async function open(path: string, { picker = false } = {}): Promise<void> {
    await page.addInitScript(`(${picker ? putPicker : removePicker})()`)
    await enter(page, 'ada', path)
    await page.getByRole('rowheader').first().waitFor()
    await page.getByText('Export', { exact: true }).click()
  }

  async function downloaded(name: string): Promise<{ name: string; text: string }> {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    const file = await download
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }

  it('saves what the filter shows, also what is not loaded, as CSV', async () => {
    await open('/console/audit?customer=bob')
    await waitForAll(page, 50)
    const csv = await downloaded('Export as CSV')
    expect(csv.name).to.match(/^impersonations-\d{4}-\d\d-\d\d\.csv$/)
    expect(csv.text.trim().split('\r\n')).to.have.lengthOf(51)
    await page.getByText(/is saved/).waitFor()

    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('50 impersonations are shown').waitFor()
    const all = await downloaded('Export as CSV')
    expect(all.text.trim().split('\r\n')).to.have.lengthOf(COUNT + 1)
  })

  it('saves everything, for verification, with the signed checkpoint at its end', async () => {
    await open('/console/audit')
    const { name, text } = await downloaded('Everything, for verification')
    expect(name).to.match(/^audit-entries-\d{4}-\d\d-\d\d\.jsonl$/)
    const lines = text.trim().split('\n')
    expect(lines.length).to.be.greaterThan(COUNT * 3)
    expect(lines.at(-1)).to.include('checkpoint')
  })

  it('shows how far it is after a moment, and can be cancelled', async () => {
    await open('/console/audit')
    const held = Promise.withResolvers<void>()
    hindrance.next = () => held.promise
    let downloads = 0
    page.on('download', () => {
      downloads += 1
    })
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByText(/^Exporting .*csv.*kB.* so far/).waitFor()
    await page.getByRole('button', { name: 'Cancel the export' }).click()
    await page.getByText('The export was cancelled. No file was saved.').waitFor()
    expect(await page.getByText(/^Exporting/).count()).to.equal(0)
    held.resolve()
    expect(downloads).to.equal(0)
  })

  it('says that it broke off half-way, saves no file, and tries again', async () => {
    await open('/console/audit')
    hindrance.next = () => Promise.reject(new Error('the storage is out of order'))
    let downloads = 0
    page.on('download', () => {
      downloads += 1
    })
    visit.expectFailure(/export\.csv/)
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByText(/^The export broke off after .*, so no file was saved\./).waitFor()
    expect(downloads).to.equal(0)
    hindrance.next = async () => {}
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Try again' }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    expect(text.trim().split('\r\n')).to.have.lengthOf(COUNT + 1)
  })

  it('streams into the file that the person picked; half of it never stands there', async () => {
    await open('/console/audit', { picker: true })
    hindrance.next = () => Promise.reject(new Error('the storage is out of order'))
    visit.expectFailure(/export\.csv/)
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByText(/^The export broke off/).waitFor()
    expect(await page.evaluate(pickedText)).to.equal(undefined)
    hindrance.next = async () => {}
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/is saved/).waitFor()
    const text = (await page.evaluate(pickedText)) ?? ''
    expect(text.trim().split('\r\n')).to.have.lengthOf(COUNT + 1)

    await page.evaluate(() =>
      Reflect.set(window, 'showSaveFilePicker', () =>
        Promise.reject(new DOMException('no', 'AbortError')),
      ),
    )
    const before = visit.urls.length
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    await page.getByRole('button', { name: 'Export as CSV', disabled: false }).waitFor()
    expect(visit.urls.slice(before).filter((url) => url.includes('export'))).to.deep.equal([])
  })
})

function removePicker(): void {
  Reflect.deleteProperty(window, 'showSaveFilePicker')
}

/** A real file, in the private file system of the page: no person picks one here. */
function putPicker(): void {
  Reflect.set(window, 'showSaveFilePicker', async () => {
    const folder = await navigator.storage.getDirectory()
    return folder.getFileHandle('picked.csv', { create: true })
  })
}

async function pickedText(): Promise<string | undefined> {
  const folder = await navigator.storage.getDirectory()
  const handle = await folder.getFileHandle('picked.csv').catch(() => undefined)
  return handle && (await handle.getFile()).text()
}
