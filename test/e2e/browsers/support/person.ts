import { setTimeout as wait } from 'node:timers/promises'
import type { Tab, TestBrowser } from './seat.ts'

const WAIT_TIMEOUT_MS = 24_000
/** The time in which a hand is on its way. A control that moves meanwhile is not pressed. */
const HAND_MS = 100

/** A tab, as the person sees it who sits before it. */
export interface Look {
  readonly tab: Tab
  /** Everything that can be read, in one line. */
  text(): Promise<string>
  /** Waits until this can be read. */
  sees(text: string): Promise<void>
  /** Presses what has this name, once it is there. */
  press(name: string): Promise<void>
  /** Presses the box or round button of this label. */
  choose(label: string): Promise<void>
  /** Presses the field of this label, and types. */
  fill(label: string, text: string): Promise<void>
}

/** A deed of the hands. */
export type Deed = 'click' | 'field'

export interface Person extends AsyncDisposable, Look {
  /** A tab more. */
  open(): Promise<Look>
  /** Does something that opens a tab, and answers that tab. */
  opening(doing: () => Promise<void>): Promise<Look>
}

/**
 * A person with an empty browser.
 *
 * @param onDeed is told of each click, and of each field that is filled in
 */
export async function sitDown(
  browser: TestBrowser,
  onDeed: (deed: Deed) => void = () => {},
): Promise<Person> {
  const seat = await browser.sitDown()
  const look = lookAt(await seat.open(), onDeed)
  return {
    ...look,
    open: async () => lookAt(await seat.open(), onDeed),
    async opening(doing) {
      const before = (await seat.tabs()).map(({ id }) => id)
      await doing()
      const added = async () => (await seat.tabs()).find(({ id }) => !before.includes(id))
      return lookAt(await until('a new tab', added), onDeed)
    },
    [Symbol.asyncDispose]: () => seat[Symbol.asyncDispose](),
  }
}

const PRESSED = 'button, a, input[type=submit], [role=button], summary'
const CHOSEN = 'input[type=radio], input[type=checkbox]'
const FIELDS = 'input, textarea'

function lookAt(tab: Tab, onDeed: (deed: Deed) => void): Look {
  const text = () => inPage(tab, readText)
  const press = async (kinds: string, name: string) => {
    const stands = async () => {
      const first = await inPage(tab, findPoint, kinds, name)
      if (!first) return undefined
      await wait(HAND_MS)
      const second = await inPage(tab, findPoint, kinds, name)
      return first.x === second?.x && first.y === second.y ? second : undefined
    }
    const at = await until(`"${name}"`, stands, text)
    await tab.click(at.x, at.y)
  }
  return {
    tab,
    text,
    sees: async (wanted) => {
      await until(`"${wanted}"`, async () => (await text()).includes(wanted), text)
    },
    async press(name) {
      await press(PRESSED, name)
      onDeed('click')
    },
    async choose(label) {
      await press(CHOSEN, label)
      onDeed('click')
    },
    async fill(label, typed) {
      await press(FIELDS, label)
      await tab.type(typed)
      onDeed('field')
    },
  }
}

/** Returns the answer, once there is one. A page may load meanwhile. */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  show: () => Promise<string> = async () => '',
): Promise<NonNullable<T>> {
  const deadline = Date.now() + WAIT_TIMEOUT_MS
  let trouble: unknown
  while (Date.now() < deadline) {
    const seen = await look().catch((error) => {
      trouble = error
    })
    if (seen) return seen
    await wait(50)
  }
  throw new Error(`there is no ${what}; ${await show().catch(String)}`, { cause: trouble })
}

function inPage<T, A extends unknown[]>(
  tab: Tab,
  run: (...parameters: A) => T,
  ...parameters: A
): Promise<T> {
  return tab.evaluate(`(${run})(${parameters.map((it) => JSON.stringify(it)).join()})`)
}

/** Returns the text that can be read, also in shadow trees; of a page with a modal dialog, the dialog alone. */
function readText(): string {
  const roots: (Document | ShadowRoot)[] = [document]
  const shown: Element[] = []
  const modals: Element[] = []
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.matches(':modal')) modals.push(element)
    }
    shown.push(...(root === document ? [document.body] : root.children))
  }
  return (
    (modals.length > 0 ? modals : shown)
      // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not read.
      .map((element) => (element as HTMLElement).innerText ?? '')
      .join(' ')
      .replace(/[\u2066-\u2069]/g, '')
      .replace(/\s+/g, ' ')
  )
}

/** The middle of the first visible element of these kinds whose name has this text. */
function findPoint(kinds: string, name: string): { x: number; y: number } | null {
  const roots: (Document | ShadowRoot)[] = [document]
  const found: Element[] = []
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) roots.push(element.shadowRoot)
      if (element.matches(kinds)) found.push(element)
    }
  }
  const nameOf = (element: Element) => {
    const labels = [...((element as HTMLInputElement).labels ?? [])]
    const named: Element[] = labels.length > 0 ? labels : [element]
    const text = named.map(({ textContent }) => textContent).join(' ')
    return (element.getAttribute('aria-label') ?? text)
      .replace(/[\u2066-\u2069]/g, '')
      .replace(/\s+/g, ' ')
  }
  const modal = document.querySelector(':modal')
  const fitting = found.filter(
    (it) =>
      it.checkVisibility({ visibilityProperty: true }) &&
      !it.matches(':disabled') &&
      (!modal || modal.contains(it)) &&
      nameOf(it).includes(name),
  )
  // The part that a press has just opened lies before the person.
  const element =
    fitting.find((it) => !it.matches('summary') && it.closest('details[open]')) ?? fitting[0]
  if (!element) return null
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  const { x, y, width, height } = element.getBoundingClientRect()
  return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
}
