/**
 * A request as a command for bash. Hidden values stand as shell variables, outside of the quotes.
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
 * A word of the shell that means exactly this text, whatever is in it.
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
