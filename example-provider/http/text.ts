/**
 * Controls, and those by which a text changes the direction in which it is read (Unicode Standard
 * Annex #9, §2.1 to §2.4): with them, a record reads as something else than it says. Joiners, which
 * some scripts and emoji need, are not among them.
 */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

export const NO_CONTROLS =
  'must not contain control characters, nor those that change the direction of writing'

/** Whether a text can be shown in a line as what it is: see {@link NO_CONTROLS}. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !CONTROLS.test(text)
}
