/**
 * Characters that a terminal or a viewer executes instead of showing: control characters, line
 * separators, and all marks of the reading direction, also the implicit ones (Unicode Standard
 * Annex #9, §2).
 */
const OBEYED_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Replaces each such character by its JSON escape, so that the text is one safe line. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    OBEYED_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
