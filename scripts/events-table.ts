// Writes the table of members in docs/events.md from the docstrings of the event. Run it with
// `npm run docs:options`.
import { readFileSync, writeFileSync } from 'node:fs'
import { interfacesOf } from './docstrings.ts'

const SOURCE = new URL('../src/public/events.ts', import.meta.url)
const TARGET = new URL('../docs/events.md', import.meta.url)
/** The table below its head. */
const TABLE = /(?<=^\| member \| \| events that have it \|\n\|---\|---\|---\|\n)(?:^\|.*\n)*/m

/** Makes the page with the table of the current source. */
export function eventsPage(): string {
  const members = interfacesOf(readFileSync(SOURCE, 'utf8')).get('ImpersonationEvent')
  if (!members) throw new Error('no interface ImpersonationEvent')
  const rows = [...members.values()].map(({ name, text, tags }) => {
    const [always = '', perhaps] = (tags.get('remarks') ?? '').split(';')
    const events = perhaps === undefined ? always : `${always} (${perhaps.trim()})`.trim()
    return `| \`${name}\` | ${text.replaceAll('\n', ' ')} | ${events} |\n`
  })
  return readFileSync(TARGET, 'utf8').replace(TABLE, () => rows.join(''))
}

if (import.meta.main) writeFileSync(TARGET, eventsPage())
