import { readFile } from 'node:fs/promises'
import type { Sites } from './sites.ts'

const DOCUMENT = new URL('../../../docs/browser.md', import.meta.url)

/** The blocks of docs/browser.md under a heading, by the name in their first line. */
export async function filesUnder(heading: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(DOCUMENT, 'utf8')
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  const blocks = section.matchAll(/^```(\w+)\n(.*?)^```$/gms)
  return new Map(
    [...blocks].map(([, language = '', code = '']) => {
      const [, name] = /^(?:\/\/|<!--) ([\w.-]+)/.exec(code) ?? []
      return [name ?? language, code]
    }),
  )
}

/** The addresses of the document, in those of the test. Nothing else is changed. */
export function here(text: string, { api, application, issuer }: Sites): string {
  return text
    .replaceAll('https://id.example.com/oidc', issuer)
    .replaceAll('https://id.example.com', new URL(issuer).origin)
    .replaceAll('https://api.example.com', api)
    .replaceAll('https://shop.example.com', application.url)
}
