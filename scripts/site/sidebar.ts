import { readFileSync } from 'node:fs'

interface Group {
  readonly text: string
  readonly items: ReadonlyArray<{ readonly text: string; readonly link: string }>
}

/** Makes a path of the site of a document's path; an address elsewhere stays. */
export function linkTo(target: string): string {
  return URL.canParse(target) ? target : target.replace(/^\.?\/?/, '/').replace(/\.md$/, '')
}

/** The groups of the page `documents`, and the pages that it lists in each. */
export function sidebar(): Group[] {
  const text = readFileSync(new URL('pages/documents.md', import.meta.url), 'utf8')
  const groups = text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = ''] = section.split('\n', 1)
      const pages = section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)
      return {
        text: heading,
        items: [...pages].map(([, title = '', target = '']) => ({
          text: title,
          link: linkTo(target),
        })),
      }
    })
  return [
    {
      text: 'Start',
      items: [
        { text: 'What it is', link: '/' },
        { text: 'Which parts you need', link: '/documents' },
      ],
    },
    ...groups.filter(({ items }) => items.length > 0),
    { text: 'Generated', items: [{ text: 'Exports', link: '/api/' }] },
  ]
}
