/**
 * Writes a request as a bash command. Hidden values are shell variables, outside single quotes.
 *
 * @param {import('./impersonation.js').Step} step
 * @param {ReadonlyMap<string, string>} hidden values, each with the name of its variable
 */
export function curl({ url, headers = {}, json, form }, hidden) {
  const parts = [`curl -sS ${quoted(url, hidden)}`]
  for (const [name, value] of Object.entries(headers)) {
    parts.push(`-H ${quoted(`${name}: ${value}`, hidden)}`)
  }
  if (json) {
    parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json), hidden)}`)
  }
  for (const [name, value] of Object.entries(form ?? {})) {
    parts.push(`--data-urlencode ${quoted(`${name}=${value}`, hidden)}`)
  }
  return parts.join(' \\\n  ')
}

/**
 * Quotes a text as one shell word. Every character keeps its meaning.
 *
 * @param {string} text
 * @param {ReadonlyMap<string, string>} hidden
 */
function quoted(text, hidden) {
  for (const [value, name] of hidden) {
    const at = text.indexOf(value)
    if (at === -1) continue
    const after = text.slice(at + value.length)
    return `${single(text.slice(0, at))}"$${name}"${after === '' ? '' : single(after)}`
  }
  return single(text)
}

/** @param {string} text */
function single(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
