import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'

/** What a screen reader meets, in the order in which it reads. */
interface Spoken {
  readonly role: string
  readonly name: string
  readonly level: number | undefined
  readonly isModal: boolean
  /** Whether it is in a dialog. */
  readonly isInDialog: boolean
}

const DIALOGS = ['dialog', 'alertdialog']
const CONTROLS = [
  'button',
  'checkbox',
  'combobox',
  'link',
  'menuitem',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
]

/** Chromium's accessibility tree of the page, shadow trees included. */
async function readTree(page: Page): Promise<readonly Spoken[]> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  const { nodes } = await cdp.send('Accessibility.getFullAXTree')
  await cdp.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const read: Spoken[] = []
  const visit = (id: string, isInDialog: boolean) => {
    const node = byId.get(id)
    if (!node) return
    const role = String(node.role?.value)
    const isDialog = !node.ignored && DIALOGS.includes(role)
    const propertyOf = (name: string) =>
      node.properties?.find((it) => it.name === name)?.value.value
    if (!node.ignored) {
      read.push({
        role,
        name: String(node.name?.value ?? '')
          .replace(/[\u2066-\u2069]/g, '')
          .trim(),
        level: propertyOf('level'),
        isModal: propertyOf('modal') === true,
        isInDialog: isInDialog || isDialog,
      })
    }
    for (const child of node.childIds ?? []) visit(child, isInDialog || isDialog)
  }
  const root = nodes.find((node) => node.parentId === undefined)
  visit(root?.nodeId ?? expect.fail('the page has no accessibility tree'), false)
  return read
}

/**
 * What every page promises to a person who listens: each control has a name, the headings are in
 * order, and a dialog has a name, is modal, and leaves nothing of the page under it in the tree.
 */
export async function expectReadable(page: Page, where: string): Promise<void> {
  const tree = await readTree(page)
  const controls = tree.filter(({ role }) => CONTROLS.includes(role))
  expect(controls, `${where}: controls`).to.not.have.length(0)
  expect(
    controls.filter(({ name }) => name === '').map(({ role }) => role),
    `${where}: controls without a name`,
  ).to.deep.equal([])
  const headings = tree.filter(({ role }) => role === 'heading')
  // A dialog over a page begins below the page's own heading.
  expect(headings[0]?.level, `${where}: the first heading`).to.be.oneOf(
    headings[0]?.isInDialog ? [1, 2] : [1],
  )
  for (const [index, { level = 0, name }] of headings.entries()) {
    expect(name, `${where}: the name of a heading`).to.not.equal('')
    const before = headings[index - 1]?.level ?? level
    expect(level, `${where}: the heading "${name}" skips a level`).to.be.at.most(before + 1)
  }
  const dialogs = tree.filter(({ role }) => DIALOGS.includes(role))
  for (const { name, isModal } of dialogs) {
    expect(name, `${where}: the name of the dialog`).to.not.equal('')
    expect(isModal, `${where}: the dialog "${name}" is modal`).to.equal(true)
  }
  if (dialogs.length === 0) return
  const under = tree.filter(({ role, isInDialog }) => !isInDialog && CONTROLS.includes(role))
  expect(under, `${where}: controls under the dialog`).to.deep.equal([])
}

/** What a screen reader says by itself: the texts of live regions that were there before the text. */
export async function listen(page: Page): Promise<void> {
  await page.addInitScript(collectAnnouncements)
  await page.evaluate(collectAnnouncements)
}

/** Waits until this is announced. */
export async function expectAnnounced(page: Page, text: string | RegExp): Promise<void> {
  const heard = () => page.evaluate(() => globalThis.announcements)
  const deadline = Date.now() + 15_000
  const fits = (it: string) => (typeof text === 'string' ? it.includes(text) : text.test(it))
  while (!(await heard()).some(fits)) {
    if (Date.now() > deadline) {
      expect.fail(`not announced: ${text}; announced: ${JSON.stringify(await heard())}`)
    }
    await page.waitForTimeout(50)
  }
}

declare global {
  var announcements: string[]
}

function collectAnnouncements(): void {
  if (globalThis.announcements) return
  const heard: string[] = []
  globalThis.announcements = heard
  const REGIONS =
    '[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive]'
  const known = new Set<Element>()
  const roots = new Set<Document | ShadowRoot>()
  const texts = new Map<Element, string>()
  const look = () => {
    const regions: Element[] = []
    const watch = (root: Document | ShadowRoot) => {
      if (!roots.has(root)) {
        roots.add(root)
        observer.observe(root, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        })
      }
      for (const element of root.querySelectorAll('*')) {
        if (element.matches(REGIONS)) regions.push(element)
        if (element.shadowRoot) watch(element.shadowRoot)
      }
    }
    watch(document)
    for (const region of regions) {
      const text = (region.textContent ?? '').replace(/[\u2066-\u2069]/g, '').trim()
      // A region that comes with its text is not reliably announced.
      if (known.has(region) && text !== '' && texts.get(region) !== text) heard.push(text)
      known.add(region)
      texts.set(region, text)
    }
  }
  const observer = new MutationObserver(look)
  look()
}
