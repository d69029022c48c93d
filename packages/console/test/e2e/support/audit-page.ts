import type { Locator, Page } from 'playwright-core'

/** The links of the rows, in the order in which they are shown: *Olivia Okafor as Alice Ng*. */
export function rowLinks(page: Page): Locator {
  return page.getByRole('table').getByRole('rowheader').getByRole('link')
}

/** The tickets of the rows, in the order in which they are shown. */
export async function ticketsOf(page: Page): Promise<string[]> {
  return page.getByRole('table').locator('.ticket').allTextContents()
}

/** Waits until the list says that it shows so many rows, and no more are there. */
export async function waitForAll(page: Page, count: number): Promise<void> {
  const text =
    count === 1
      ? '1 impersonation in all'
      : `${count.toLocaleString('en-GB')} impersonations in all`
  await page.getByText(text, { exact: true }).waitFor()
}

/** A condition of the filter, with the button that takes it away. */
export function condition(page: Page, name: string): Locator {
  return page.getByRole('button', { name: saying(`Remove this condition: ${name}`) })
}

/** The field of the filter that takes a person by name. */
export function personInput(page: Page, name: string): Locator {
  return page.getByRole('combobox', { name, exact: true })
}

/** Types a part of a name, goes to the person by the arrow key, and chooses them by Enter. */
export async function choosePerson(
  page: Page,
  field: string,
  typed: string,
  name: string,
): Promise<void> {
  await personInput(page, field).focus()
  await page.keyboard.type(typed)
  await page.getByRole('option', { name }).first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

/** The page of an impersonation: *Olivia Okafor as Alice Ng*. */
export function impersonation(page: Page, acting: string): Locator {
  return page.getByRole('heading', { level: 1, name: saying(acting) })
}

/** The text, also with the characters that keep the direction of writing of a name to itself. */
export function saying(text: string): RegExp {
  const characters = [...text].map((character) => character.replace(/[^\w\s]/, '\\$&'))
  return new RegExp(`^[\u2068\u2069]*${characters.join('[\u2068\u2069]*')}[\u2068\u2069]*$`)
}

/** The timeline of an impersonation. It comes by a request of its own. */
export function timeline(page: Page): Locator {
  return page.getByRole('region', { name: 'Timeline' })
}

/** What is shown in the timeline, an entry each, without the button *Details*. */
export async function timelineOf(page: Page): Promise<string[]> {
  // Those of a run are in it.
  const entries = timeline(page).locator('> .timeline > .entry')
  const texts = await entries.allInnerTexts()
  return texts.map((text) => text.replace(/\s*Details\s*$/, '').replace(/\s+/g, ' '))
}

/** The place of the reader, and of an element in the window. */
export async function placeOf(locator: Locator): Promise<{ scroll: number; top: number }> {
  return locator.evaluate((element) => ({
    scroll: scrollY,
    top: element.getBoundingClientRect().top,
  }))
}

/** Shows all fields of the filter; the search and the dates are there without it. */
export async function openFilter(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: /^Filter/ })
  if ((await more.getAttribute('aria-expanded')) === 'false') await more.click()
}
