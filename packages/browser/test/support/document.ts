import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { expectState } from './page.ts'
import type { Sites } from './sites.ts'
import type { Visit } from './visit.ts'

/** The response of the API. */
export const ORDERS = '{"ordersOf":"alice","seenBy":"olivia"}'

const DOCUMENT = new URL('../../../../docs/browser.md', import.meta.url)

/** The blocks of docs/browser.md under a heading, by the name in their first line, and the files that it links. */
export async function filesUnder(heading: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(DOCUMENT, 'utf8')
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  const blocks = section.matchAll(/^```(\w+)\n(.*?)^```$/gms)
  const links = section.matchAll(/^\[`([\w.-]+)`\]\(\.\.\/(examples\/[^)]+)\)/gm)
  const files = [...links].map(
    async ([, name = '', path = '']): Promise<[string, string]> => [
      name,
      await readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8'),
    ],
  )
  return new Map([
    ...(await Promise.all(files)),
    ...[...blocks].map(([, language = '', code = '']): [string, string] => {
      const [, name] = /^(?:\/\/|<!--) ([\w.-]+)/.exec(code) ?? []
      return [name ?? language, code]
    }),
  ])
}

/** The addresses of the document, in those of the test. Nothing else is changed. */
export function here(text: string, { api, application, issuer }: Sites): string {
  return text
    .replaceAll('https://id.example.com/oidc', issuer)
    .replaceAll('https://id.example.com', new URL(issuer).origin)
    .replaceAll('https://api.example.com', api)
    .replaceAll('https://shop.example.com', application.url)
}

/** Acts in a page of the document, and ends. */
export async function actsAndEnds(person: Visit, sites: Sites): Promise<void> {
  const { page, context } = person
  await sites.signIn(context)
  await page.goto(await sites.link())
  await page.getByText(ORDERS).waitFor()
  await page.getByRole('button', { name: 'olivia acts as alice: end' }).click()
  await page.getByRole('heading', { name: 'You no longer act as alice' }).waitFor()
  expect(await page.getByText(ORDERS).isVisible()).to.equal(false)
  await expectState(sites, 'ended')
}

/** The headers that the document names. */
export async function headersOfDocument(sites: Sites): Promise<Record<string, string>> {
  const block = (await filesUnder('What the application needs')).get('http') ?? ''
  const lines = here(block, sites).trim().split('\n')
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
}
