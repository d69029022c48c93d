import type { AuditRow } from './row.ts'

/** A row has at most so many words; those of a long reason come last. */
const MAX_WORDS = 256
/** Longer words are compared by their beginning. */
const MAX_WORD_CHARACTERS = 64

/** Letters that are written with a stroke or joined, which Unicode does not take apart. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ς: 'σ' },
}
/** Scripts that write no spaces between words. */
const UNSPACED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** The words of a text, each once: letters and digits, without regard to case, accents and composition. */
export function wordsOf(text: string): string[] {
  return [...new Set(foldedWordsOf(text).map(beginningOf))]
}

function foldedWordsOf(text: string): readonly string[] {
  const folded = text
    .toWellFormed()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    // ß becomes SS, and ı becomes I.
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[æœøłđðς]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
  return folded.match(/[\p{L}\p{N}]+/gu) ?? []
}

function beginningOf(word: string): string {
  return word.slice(0, MAX_WORD_CHARACTERS).toWellFormed()
}

/**
 * The words by which a search finds a row. A row matches a text where each of its words is the beginning
 * of one of these.
 */
export function rowWordsOf(row: AuditRow): readonly string[] {
  const { id, customer, operator, software, jti, ticket, application, reason } = row
  const people = [customer, operator].flatMap((who) => [who?.id, who?.name, who?.email])
  const texts = [id, ...people, ticket, jti, application, software, reason]
  const text = texts.filter((each) => each !== undefined).join('\n')
  return foundWordsIn(text)
}

/** The words by which a text is found: in a script without spaces, a word begins at each letter. */
export function foundWordsIn(text: string): readonly string[] {
  const words = foldedWordsOf(text).flatMap((word) =>
    UNSPACED_SCRIPTS.test(word) ? endingsOf(word) : word,
  )
  return [...new Set(words.map(beginningOf))].slice(0, MAX_WORDS)
}

function endingsOf(word: string): string[] {
  return [...word].slice(0, MAX_WORDS).map((_, at, letters) => letters.slice(at).join(''))
}
