import { readFileSync } from 'node:fs'

interface Group {
  readonly text: string
  readonly items: ReadonlyArray<{ readonly text: string; readonly link: string }>
}

/** The groups of the page `documents`, and the pages that it lists in each. */
export function sidebar(): Group[] {
  const text = readFileSync(new URL('pages/documents.md', import.meta.url), 'utf8')
  const groups = text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = ''] = section.split('\n', 1)
      const pages = section.matchAll(/^- \[([^\]]+)\]\(\.?\/?([^)#]+?)(?:\.md)?\)/gm)
      return {
        text: heading,
        items: [...pages].map(([, title = '', path = '']) => ({ text: title, link: `/${path}` })),
      }
    })
  const reference = [
    { text: 'Routes', link: '/routes/' },
    { text: 'Exports', link: '/api/' },
  ]
  return [
    { text: 'Start', items: [{ text: 'What it is', link: '/' }] },
    ...groups,
    { text: 'Generated', items: reference },
  ]
}
