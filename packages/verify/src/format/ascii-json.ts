import { asEscape } from './text.ts'

/**
 * JSON in ASCII, on one line, whatever a reader takes for the end of a line. There is one text for one
 * value: what is parsed and written again is the same text, or it was not written by this function.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g, asEscape)
}
