/**
 * Control characters, and characters that change the reading direction (Unicode Standard Annex #9,
 * §2.1 to §2.4). These can make a record look different from its real text. Joiners are allowed,
 * because some scripts and emoji need them.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

export const NO_CONTROLS =
  'must not contain control characters, nor those that change the direction of writing'

/** Returns true if a text looks the same as its characters in a line: see {@link NO_CONTROLS}. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTERS.test(text)
}

/** Characters that are not seen, and spaces that look like another one. */
const INVISIBLE_CHARACTERS = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?! )\p{White_Space}/u

/** Returns true if a number or an id has no characters that make it another one that looks the same. */
export function isSeen(text: string): boolean {
  return !INVISIBLE_CHARACTERS.test(text)
}

/** The longest note, in characters: whatever a person says to what they decide, or object to. */
export const MAX_NOTE_LENGTH = 1000
/** The longest reason of an operator, in characters. */
export const MAX_REASON_LENGTH = 500

/** A character that leaves a mark. U+2800 is a Braille pattern without dots. */
const VISIBLE_CHARACTER =
  /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns true if a text has something to read. Spaces and unseen characters do not count. */
export function saysSomething(text: string): boolean {
  return VISIBLE_CHARACTER.test(text)
}

/**
 * Characters that a terminal or a viewer executes instead of showing: control characters, line
 * separators, and all marks of the reading direction, also the implicit ones (Unicode Standard
 * Annex #9, §2).
 */
const TERMINAL_CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Replaces each such character by its JSON escape, so that the text is one safe line. */
export function escapeControls(text: string): string {
  return text.replaceAll(TERMINAL_CONTROLS, asEscape)
}

/** The JSON escape of a UTF-16 code unit. */
export function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** NUL, which PostgreSQL refuses in a text, and lone surrogates, which UTF-8 does not have. */
const UNSTORABLE_CHARACTERS =
  /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/**
 * A text as every database can hold it. What it cannot hold becomes U+FFFD and the number of the character, so
 * that two people whose ids differ in it stay two people.
 */
export function storable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text
  return text.replaceAll(
    UNSTORABLE_CHARACTERS,
    (character) => `\ufffd${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** NUL and surrogates, as JSON has them: pairs are written as they are. */
const UNSTORABLE_IN_JSON = /\\u(?:0000|d[89a-f])/

/** Each text in it is {@link storable}. What is storable is the same object. */
export function allStorable<T>(value: T): T {
  const json = JSON.stringify(value)
  if (!UNSTORABLE_IN_JSON.test(json)) return value
  return JSON.parse(json, (_, each) => (typeof each === 'string' ? storable(each) : each))
}
