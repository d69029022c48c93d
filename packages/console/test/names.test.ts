import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import ts from 'typescript-5.9'
import { filesBelow } from '../../../test/support/imports.ts'

const PACKAGES = join(import.meta.dirname, '../..')

/** Names that stand for two things all the same, and why. */
const JUSTIFIED: Readonly<Record<string, string>> = {
  text: 'a sentence with its slots filled in a page, and a parser of texts in the format: no file has both',
  inTransaction: 'the same of two databases: each store has its own',
  columnsOf: 'of a row, a permit and what was removed: each file of the stores has one kind',
  conditionsOf: 'of a row and of a permit, as columnsOf',
  beginningOf: 'of a word in the stores, and of a chain in the format',
  MAX_COUNTED: 'the limit of the stream, and of the SQL that counts newer rows',
}

/** The entry repeats the names of `index.ts`. */
const ENTRY = /^source\.ts$/

interface Definition {
  readonly file: string
  readonly isExported: boolean
}

/** Every name that the files of a package define at their top level. */
function definitionsIn(folder: string): Map<string, Definition[]> {
  const all = new Map<string, Definition[]>()
  const root = join(PACKAGES, folder, 'src')
  for (const path of filesBelow(root).filter((path) => !ENTRY.test(path))) {
    const text = readFileSync(join(root, path), 'utf8')
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
    const own = new Map<string, boolean>()
    for (const statement of file.statements) {
      const isExported =
        ts.canHaveModifiers(statement) &&
        (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      for (const name of namesIn(statement)) own.set(name, isExported || own.get(name) === true)
    }
    for (const [name, isExported] of own) {
      all.set(name, [...(all.get(name) ?? []), { file: `${folder}/${path}`, isExported }])
    }
  }
  return all
}

function namesIn(statement: ts.Statement) {
  if (ts.isVariableStatement(statement)) {
    const names = statement.declarationList.declarations.map(({ name }) => name)
    return names.filter(ts.isIdentifier).map(({ text }) => text)
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  return isNamed && statement.name ? [statement.name.text] : []
}

describe('a name in the console and in the format of its audit', () => {
  it('that a file exports is defined in no other file', () => {
    const [own, format] = ['console', 'verify'].map(definitionsIn)
    const names = new Set([...(own ?? new Map()).keys(), ...(format ?? new Map()).keys()])
    expect(names.size).to.be.greaterThan(1500)
    const doubles = [...names].flatMap((name) => {
      const places = [...(own?.get(name) ?? []), ...(format?.get(name) ?? [])]
      if (places.length < 2 || !places.some(({ isExported }) => isExported)) return []
      return name in JUSTIFIED ? [] : `${name}: ${places.map(({ file }) => file).join(', ')}`
    })
    expect(doubles).to.deep.equal([])
  })
})
