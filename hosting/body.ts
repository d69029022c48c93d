import { z } from 'zod'
import { isPlain, NO_CONTROLS } from './http/text.ts'

/** A JSON object with these members and no others. */
export function bodyOf<S extends z.ZodRawShape>(shape: S) {
  const names = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `the body has a member other than ${names}`
        : 'the body must be a JSON object',
  })
}

/** A text that looks the same as its characters, and follows a rule that the message tells. */
export function plainText(name: string, rule: string, isValid: (text: string) => boolean) {
  const message = `${name} is required: ${rule}`
  return z.string(message).refine(isValid, message).refine(isPlain, `${name} ${NO_CONTROLS}`)
}

/** A text that is not empty, with a greatest number of characters. */
export function someText(name: string, most: number) {
  return plainText(name, 'a text that is not empty', (text) => text.trim() !== '').refine(
    (text) => [...text].length <= most,
    `${name} must not exceed ${most} characters`,
  )
}
