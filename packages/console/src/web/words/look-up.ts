/**
 * Finds the language for a language that a person asks for, as RFC 4647, §3.4 describes: `fr` is found
 * for `fr-CA`. If there is none, `pt-BR` is found for `pt`, too.
 */
export function lookUp(asked: string, tags: readonly string[]): string | undefined {
  const range = asked.toLowerCase()
  const [found] = tags
    .filter((tag) => `${range}-`.startsWith(`${tag.toLowerCase()}-`))
    .sort((one, other) => other.length - one.length)
  return found ?? tags.find((tag) => tag.toLowerCase().startsWith(`${range}-`))
}
