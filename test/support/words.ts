import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { filesBelow } from './imports.ts'

/** Words that names of the code must not have, and what to say instead. CONTRIBUTING.md has the same. */
interface Rule {
  /** In lower case: `firstPlace` and `FIRST_PLACE` have `first` and `place`. */
  readonly words: readonly string[]
  readonly say: string
  /** Where these words are clear in names of variables, and vague in those of constants. */
  readonly isForConstants?: true
  /** Names in which these words are clear. */
  readonly clear?: RegExp
}

const RULES: readonly Rule[] = [
  {
    words: ['place', 'places'],
    say: 'position (of a cursor), slot, keyNumber, location (of a page) or statusIndex',
  },
  {
    words: ['turn', 'turns'],
    say: 'eventLoopTurn, nextTurn or writeQueue',
    clear: /eventLoopTurn|nextTurn/i,
  },
  {
    words: ['claiming', 'claimed', 'claimer'],
    say: 'consume: a record is consumed, and a claim is a JWT claim',
  },
  { words: ['room', 'rooms'], say: 'capacity' },
  { words: ['gate', 'gates', 'gated'], say: 'backPressure, or signIn where people sign in' },
  { words: ['tell', 'tells', 'told', 'said'], say: 'notify, describe, log or announce' },
  {
    words: ['lifecycle'],
    say: 'impersonations for the object, ending for what a storage does',
    clear: /^lifecycle$|^LifecycleOptions$/,
  },
  { words: ['patience'], say: 'timeout and a unit: NOTIFY_TIMEOUT_MS, timeoutMs' },
  {
    words: ['most', 'longest', 'fewest', 'few'],
    say: 'MAX or MIN, a noun and a unit: MAX_TICKETS_SHOWN, MAX_PAUSE_MS',
    isForConstants: true,
  },
  { words: ['helper', 'helpers', 'util', 'utils', 'misc'], say: 'what it does' },
]

/** Of a constant whose name is one word. */
const ONE_WORD = 'one word'
/** Of a function whose name ends in `Of`, and that waits, parses JSON or throws. */
const BUSY_OF = '…Of'

/** What is wrong with one name. */
export interface WrongName {
  /** As `file:line`, the file relative to the folder that was read. */
  readonly at: string
  readonly name: string
  /** The word that is wrong, or {@link ONE_WORD} or {@link BUSY_OF}. */
  readonly word: string
  readonly say: string
}

/** The names that the files below a folder declare, and that break the rules. */
export function wrongNamesBelow(folder: string): WrongName[] {
  return filesBelow(folder).flatMap((file) =>
    wrongNamesIn(file, readFileSync(join(folder, file), 'utf8')),
  )
}

/** @param file names the text in what is found */
export function wrongNamesIn(file: string, text: string): WrongName[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  const found: WrongName[] = []
  const visit = (node: ts.Node) => {
    if (isDeclaredName(node)) {
      const at = `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`
      const name = node.text.replace(/^#/, '')
      for (const wrong of judgeName(name, node.parent)) found.push({ at, name, ...wrong })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isDeclaredName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return false
  return (
    'name' in node.parent &&
    node.parent.name === node &&
    !ts.isPropertyAccessExpression(node.parent)
  )
}

function judgeName(name: string, declaration: ts.Node): Pick<WrongName, 'word' | 'say'>[] {
  const words = splitName(name)
  const isConstant = /^[A-Z][A-Z0-9_]+$/.test(name) && ts.isVariableDeclaration(declaration)
  const rules = RULES.filter(
    ({ isForConstants, clear }) => (isConstant || !isForConstants) && !clear?.test(name),
  )
  const wrong = rules.flatMap((rule) =>
    rule.words.filter((word) => words.includes(word)).map((word) => ({ word, say: rule.say })),
  )
  if (isConstant && words.length === 1) {
    const say = 'a noun and a unit: MAX_TICKETS_SHOWN, NOTIFY_TIMEOUT_MS'
    wrong.push({ word: ONE_WORD, say })
  }
  if (/[a-z]Of$/.test(name) && isBusy(declaration)) {
    const say = 'a verb, as it waits, parses or throws: parseRow, loadRow, exportEntries'
    wrong.push({ word: BUSY_OF, say })
  }
  return wrong
}

function splitName(name: string): string[] {
  const split = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/)
  return split.map((word) => word.toLowerCase())
}

/** Whether the declaration is a function that waits, parses JSON, or throws, itself. */
function isBusy(declaration: ts.Node): boolean {
  const body =
    ts.isVariableDeclaration(declaration) && declaration.initializer
      ? declaration.initializer
      : declaration
  if (!ts.isFunctionLike(body)) return false
  let busy = false
  const visit = (node: ts.Node) => {
    if (node !== body && ts.isFunctionLike(node)) return
    if (
      ts.isThrowStatement(node) ||
      ts.isAwaitExpression(node) ||
      node.kind === ts.SyntaxKind.AsyncKeyword ||
      (ts.isCallExpression(node) && node.expression.getText() === 'JSON.parse')
    ) {
      busy = true
    }
    ts.forEachChild(node, visit)
  }
  visit(body)
  return busy
}
