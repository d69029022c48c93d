import type { TokenContext } from '../claims.ts'

/** Embeddings, overrides and isolates. They change the direction of the text around them. */
const DIRECTION_CONTROLS = /[\u202A-\u202E\u2066-\u2069]/g
/** A visible character: no control, no space, no combining mark alone. */
const VISIBLE_CHARACTER = /[^\p{C}\p{Z}\p{M}]/u
const ISOLATED_TEXT = /\u2068([^\u2069]*)\u2069/

/** The first visible value, between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE. */
export function isolated(...values: unknown[]): string | undefined {
  const found = values.find((value) => typeof value === 'string' && VISIBLE_CHARACTER.test(value))
  return found === undefined
    ? undefined
    : `\u2068${String(found).replace(DIRECTION_CONTROLS, '')}\u2069`
}

/** The value alone, for texts that isolate it themselves. */
export function plain(value: string): string {
  return value.replace(DIRECTION_CONTROLS, '')
}

/**
 * Splits a text into pieces. Every second piece, from the second on, is a value that was isolated.
 */
export function splitIsolated(text: string): string[] {
  return text.split(ISOLATED_TEXT)
}

/** Reads the claim of the README's hook. */
export function ticketIn(context: TokenContext): unknown {
  return Object(context.impersonation_context).ticket_id
}
