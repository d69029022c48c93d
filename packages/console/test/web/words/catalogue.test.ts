import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript-5.9'
import { ENGLISH_BANNER_TEXTS as BANNER } from '../../../../browser/src/texts.ts'
import { addWords } from '../../../src/web/words/add-words.ts'
import { ENGLISH, GERMAN } from '../../../src/web/words/words.ts'

const SOURCE = join(import.meta.dirname, '../../../src')

/** Each string of a catalogue, by its path: `frame.roles.lead`. */
function stringsOf(words: object, path = ''): Map<string, string> {
  const all = new Map<string, string>()
  for (const [key, value] of Object.entries(words)) {
    const name = path === '' ? key : `${path}.${key}`
    if (typeof value === 'string') all.set(name, value)
    else for (const [inner, text] of stringsOf(value, name)) all.set(inner, text)
  }
  return all
}

/** The code of the package without the catalogue itself. */
const code = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.startsWith(join(SOURCE, 'web/words')))
  .map((file) => ({
    file: file.slice(SOURCE.length + 1),
    source: ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true),
  }))

const english = stringsOf(ENGLISH)
const german = stringsOf(GERMAN)

/** Sections of which each string is named. */
const LARGE = [
  ...Object.keys(ENGLISH),
  ...Object.keys(ENGLISH.impersonations),
  ...['impersonation', 'timeline', 'filter', 'export', 'prove', 'form', 'page', 'ask'],
]

const NOTHING = { missing: [], unfit: [], unknown: [] }

describe('the catalogue', () => {
  it('has each string in both languages, with the same slots', () => {
    expect(addWords(ENGLISH, GERMAN, 'de').differences).to.deep.include(NOTHING)
    expect(addWords(GERMAN, ENGLISH, 'en').differences).to.deep.include(NOTHING)
  })

  it('has no empty string, and none that is the same by mistake', () => {
    for (const [name, text] of [...english, ...german]) expect(text.trim(), name).not.to.equal('')
    const same = [...english]
      .filter(([name, text]) => german.get(name) === text && / /.test(text))
      .filter(([, text]) => /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')))
    expect(same.map(([, text]) => text)).to.eql([])
  })

  it('names what an operator may do by one pair of words, which the banner has, too', () => {
    for (const { account, impersonations } of [ENGLISH, GERMAN]) {
      const { operators, running } = impersonations
      const pair = [running.look, running.change]
      expect([account.look, account.lookAndChange]).to.eql(pair)
      expect([operators.form.read, operators.form.change]).to.eql(pair)
    }
    const { look, change } = ENGLISH.impersonations.running
    expect([BANNER.lookOnly, BANNER.lookAndChange]).to.eql([look, change])
  })

  it('is used: each string is named in the code', () => {
    const names = new Set(code.flatMap(({ source }) => namesIn(source)))
    const isUsed = (path: readonly string[]) => {
      const [leaf = '', parent = ''] = path.toReversed()
      // Of a small section, a string is looked up by a variable: `states[state]`.
      return names.has(leaf) || (!LARGE.includes(parent) && names.has(parent))
    }
    const unused = [...english.keys()]
      // Each kind of entry has one: `EVENT_SENTENCES`.
      .filter((name) => !name.startsWith('impersonations.events.'))
      .map((name) => name.replace(/\.(?:one|other)$/, ''))
      .filter((name) => !isUsed(name.split('.')))
    expect(unused).to.eql([])
  })

  it('has all that people read: no text stands in the code of a page', () => {
    const pages = code.filter(({ file }) => file.endsWith('.tsx'))
    const found = pages.flatMap(({ file, source }) => textsIn(source).map((it) => `${file}: ${it}`))
    expect(found).to.eql([])
  })
})

/** Each name in the code, and each text, since a key can be one: `roles['lead']`. */
function namesIn(source: ts.Node) {
  const names: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) || ts.isStringLiteral(node)) names.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

/** Attributes and properties that people read or hear. */
const READ = ['title', 'label', 'about', 'placeholder', 'alt', 'aria-label', 'help', 'close']

/** Words between tags, in attributes that people read, and in messages. */
function textsIn(source: ts.Node) {
  const texts: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isJsxText(node) && /\p{L}/u.test(node.text)) texts.push(node.text.trim())
    if (ts.isStringLiteral(node) && /\p{L}/u.test(node.text) && isRead(node)) texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

function isRead({ parent }: ts.Node) {
  if (ts.isJsxAttribute(parent)) return READ.includes(parent.name.getText())
  if (ts.isPropertyAssignment(parent)) return READ.includes(parent.name.getText())
  // <p>{'text'}</p>
  return ts.isJsxExpression(parent) && !ts.isJsxAttribute(parent.parent)
}
