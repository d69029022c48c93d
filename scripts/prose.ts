// Measures the prose of the documents, and prints a line for each. It fails nothing: the figures are
// for whoever writes. Run it with `npm run docs:prose`, or with paths of Markdown files.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const DOCUMENTS = ['*.md', 'docs/*.md', 'packages/*/README.md']
/** Made from the source by scripts: their words stand there. */
const GENERATED = ['docs/options.md', 'docs/errors.md']

interface Figures {
  words: number
  code: number
  tables: number
  sentences: number
  colons: number
  semicolons: number
  you: number
  clauses: number
  proseWords: number
}

/** Pages to work with, which docs/README.md lists before those about security and those to look things up. */
function guides(): string[] {
  const [text = ''] = readFileSync(join(ROOT, 'docs/README.md'), 'utf8').split('\n## Security\n')
  const pages = text.matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)
  return ['README.md', ...[...pages].map(([, page]) => `docs/${page}`)]
}

const none = (): Figures => ({
  words: 0,
  code: 0,
  tables: 0,
  sentences: 0,
  colons: 0,
  semicolons: 0,
  you: 0,
  clauses: 0,
  proseWords: 0,
})
const count = (text: string) =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/** The figures of one document. A sentence ends with a full stop, a mark, or its paragraph. */
function measure(text: string): Figures {
  const figures = none()
  figures.words = count(text)
  const withoutCode = text.replaceAll(/^ *```.*?^ *```$/gms, (block) => {
    figures.code += count(block)
    return '\n'
  })
  const prose = withoutCode.replaceAll(/^\|.*$/gm, (row) => {
    figures.tables += count(row)
    return '\n'
  })
  const plain = prose
    .replaceAll(/^#.*$|^\s*<.*$|^\[.*?\]: .*$/gm, '\n')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/https?:\/\/\S+/g, 'address')
  for (const paragraph of plain.split(/\n\s*\n|^\s*(?:[-*>]|\d+\.)\s/m)) {
    for (const sentence of paragraph.replaceAll('\n', ' ').split(/(?<=[.!?])\s+(?=[\p{Lu}[*"])/u)) {
      const words = count(sentence)
      if (words < 3) continue
      figures.sentences += 1
      figures.proseWords += words
      if (/:(?=\s)/.test(sentence.trimEnd().replace(/:$/, ''))) figures.colons += 1
      if (sentence.includes(';')) figures.semicolons += 1
      if (/\byou(?:r|rs|rself)?\b/i.test(sentence)) figures.you += 1
      if (/^\W*(?:what|who|whose|of|none)\b/i.test(sentence) && !sentence.trim().endsWith('?')) {
        figures.clauses += 1
      }
    }
  }
  return figures
}

const percent = (part: number, whole: number) =>
  `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`.padStart(6)

function line(name: string, figures: Figures): string {
  const { sentences } = figures
  return [
    name.padEnd(38),
    String(figures.words).padStart(7),
    percent(figures.code, figures.words),
    percent(figures.tables, figures.words),
    percent(figures.colons, sentences),
    percent(figures.semicolons, sentences),
    percent(figures.you, sentences),
    percent(figures.clauses, sentences),
    (sentences === 0 ? 0 : figures.proseWords / sentences).toFixed(1).padStart(6),
  ].join(' ')
}

const named = process.argv.slice(2)
const files = (named.length > 0 ? named : globSync(DOCUMENTS, { cwd: ROOT }).sort()).filter(
  (file) => !GENERATED.includes(file),
)
const sum = none()
const sumOfGuides = none()
const ofGuides = guides()
console.log(
  `${'document'.padEnd(38)}   words   code  table      :      ;    you   what  words/sentence`,
)
for (const file of files) {
  const figures = measure(readFileSync(join(ROOT, file), 'utf8'))
  console.log(line(file, figures))
  for (const name of Object.keys(sum) as (keyof Figures)[]) {
    sum[name] += figures[name]
    if (ofGuides.includes(file)) sumOfGuides[name] += figures[name]
  }
}
console.log(line('guides', sumOfGuides))
console.log(line('all', sum))
