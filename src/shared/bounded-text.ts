/**
 * A text of 1 to `max` characters that a storage keeps as it is and a line of a log can show.
 *
 * @param name of the member, for the error
 * @param hasLines whether control characters other than NUL may stand in it
 */
export function boundedText(
  name: string,
  value: unknown,
  max: number,
  refuse: (message: string) => Error,
  hasLines = false,
): string {
  if (value === undefined) throw refuse(`${name} is required`)
  if (typeof value !== 'string') throw refuse(`${name} must be a string`)
  const length = [...value].length
  if (length < 1 || length > max) throw refuse(`${name} must have 1 to ${max} characters`)
  if (!value.isWellFormed() || (hasLines ? /\0/ : /\p{Cc}/u).test(value)) {
    const characters = hasLines ? 'NUL' : 'control characters'
    throw refuse(`${name} must not contain ${characters} or unpaired surrogates`)
  }
  return value
}
