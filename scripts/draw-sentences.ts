// Draws 60 sentences of the documents, so that somebody can try whether they are true: from prose,
// cells of tables and comments of code. The same commit and seed give the same sentences.
//   node scripts/draw-sentences.ts [seed]
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const DOCUMENTS = 'README.md SECURITY.md docs/*.md docs/*/*.md packages/*/README.md'.split(' ')
const HEAD_OF_TABLE = /^\|.*\n\|-.*$/gm
/** The end of a line whose paragraph goes on. */
const WRAP = /(?<!^(```\w*)?|[.:|])\n(?=`?\w)/gm
const COMMENT = /(?<=(\/\/|\*|#|--) )\w[^\v]*/
/** The end of a sentence, or of a cell. */
const END = /(?<=[.!?]\**)\s+|\|/
/** The first word, behind a condition. */
const FIRST = /^(?:(?:If|When|Before|After|To|For|In) .*?, )?[^#<\w]*(\w+)/
/** First words of sentences that only instruct. */
const INSTRUCTS =
  `add allow answer ask avoid be begin bring build call change check choose compare copy
  create cut delete do draw end exchange find fix follow give go have import keep leave let limit link
  list log look make measure mend mount move name never open pass paste pick please protect put read
  register remove repeat replace request run save see send set show sign start stop store swap take
  tell test then treat trust try turn update use wait wrap write serve identify share`.split(/\s+/)

const ROOT = new URL('..', import.meta.url)
const paths = DOCUMENTS.map((path) => `:(glob)${path}`)
const git = (...args: string[]) => execFileSync('git', [...args, '--', ...paths], { cwd: ROOT })

/** The sentences of a document that state something, each with its place. */
function sentencesOf(file: string): string[] {
  let line = 1
  let isCode = false
  const text = readFileSync(new URL(file, ROOT), 'utf8').replaceAll(HEAD_OF_TABLE, '\n')
  return text
    .replaceAll(WRAP, '\v')
    .split('\n')
    .flatMap((block) => {
      const at = `${file}:${line}`
      line += block.split('\v').length
      if (/^ *```/.test(block)) isCode = !isCode
      const parts = isCode ? (block.match(COMMENT) ?? []).slice(0, 1) : block.split(END)
      return parts
        .map((part) => part.replaceAll(/^[\s>*\-\d.]+|\v/g, ' ').trim())
        .filter((part) => isStatement(part))
        .map((part) => `${at} ${part}`)
    })
}

/** Returns true for four words or more that do more than instruct. */
function isStatement(part: string): boolean {
  const [, first] = FIRST.exec(part) ?? []
  return (
    first !== undefined && !INSTRUCTS.includes(first.toLowerCase()) && /(.*? .*\w){3}/.test(part)
  )
}

const [seed = git('log', '-1', '--format=%H').toString().slice(0, 8)] = process.argv.slice(2)
const orderOf = (sentence: string) =>
  createHash('sha256')
    .update(seed + sentence)
    .digest('hex')
const all = git('ls-files').toString().trim().split('\n').flatMap(sentencesOf)
all.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
console.log(`60 of ${all.length} sentences, seed ${seed}`)
console.log(all.slice(0, 60).join('\n'))
