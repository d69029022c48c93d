/** Reads the account page, or does what the path names. */
export async function askAccount(
  url: string,
  headers: Readonly<Record<string, string>>,
  path: string,
  body?: unknown,
) {
  const response = await fetch(`${url}/account${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
